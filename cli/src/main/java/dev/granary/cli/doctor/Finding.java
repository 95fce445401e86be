package dev.granary.cli.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What the doctor has found.
 *
 * @param level how bad it is
 * @param alert the alert that fires for it, empty for none
 * @param what what was seen
 * @param id what it is about: a NID, a zone, a pod; empty for the whole cluster
 * @param since since when, as far as somebody knows; empty otherwise
 * @param advice what to do; empty when nothing is to be done
 * @param runbook the file in dashboards/runbooks, without its ending; empty for none
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Finding(Level level, String alert, String what, String id, String since, String advice, String runbook) {

    /** How bad something is. {@code WARNING} and {@code CRITICAL} mean that something is wrong. */
    public enum Level {
        OK,
        NOTE,
        WARNING,
        CRITICAL;

        /** Whether somebody must do something. */
        public boolean isWrong() {
            return this == WARNING || this == CRITICAL;
        }
    }

    static Finding well(Check check) {
        return new Finding(Level.OK, check.alert(), check.well(), "", "", "", "");
    }

    static Finding note(String what, String advice) {
        return new Finding(Level.NOTE, "", what, "", "", advice, "");
    }

    static Finding of(Check check, Trouble trouble) {
        return new Finding(
                trouble.isNote() ? Level.NOTE : check.level(),
                check.alert(),
                trouble.what(),
                trouble.id(),
                trouble.since(),
                trouble.advice(),
                check.runbook());
    }
}
