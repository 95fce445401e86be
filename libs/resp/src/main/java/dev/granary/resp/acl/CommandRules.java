package dev.granary.resp.acl;

import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Which commands are allowed: rules in the order in which they were given, and what follows from them. Immutable.
 *
 * <pre>
 *   +@all  -@all           all commands, or none; what was said before does not count any more
 *   +@read  -@read         a category
 *   +get  -get             a command, with its subcommands
 *   +config|get            a subcommand
 *   +select|0              a command that has no subcommands, with that first argument alone
 * </pre>
 */
final class CommandRules {

    private final RuleNames names;

    /** Whether what no rule names is allowed. */
    private final boolean all;

    private final List<String> rules;

    /** The names of the commands of the server that are allowed, whatever their arguments. */
    private final Set<String> allowed;

    /** By the name of a command that is not allowed otherwise, the first arguments with which it is. */
    private final Map<String, Set<String>> firstArguments;

    private CommandRules(
            RuleNames names,
            boolean all,
            List<String> rules,
            Set<String> allowed,
            Map<String, Set<String>> firstArguments) {
        this.names = names;
        this.all = all;
        this.rules = List.copyOf(rules);
        this.allowed = Set.copyOf(allowed);
        this.firstArguments = Map.copyOf(firstArguments);
    }

    static CommandRules none(RuleNames names) {
        return new CommandRules(names, false, List.of(), Set.of(), Map.of());
    }

    static CommandRules all(RuleNames names) {
        Set<String> every = new HashSet<>();
        names.forEach(command -> every.add(command.name()));
        return new CommandRules(names, true, List.of(), every, Map.of());
    }

    /** Returns whether every command is allowed, those included that may come with another version. */
    boolean allowsAll() {
        return all && rules.isEmpty();
    }

    /**
     * Returns the rules with one more.
     *
     * @param rule begins with a plus or a minus
     * @throws RuleException when it names nothing
     */
    CommandRules with(String rule) throws RuleException {
        boolean plus = rule.charAt(0) == '+';
        String target = rule.substring(1).toLowerCase(Locale.ROOT);
        if (target.equals("@all")) {
            return plus ? all(names) : none(names);
        }
        if (target.startsWith("@")) {
            return withCategory(target, plus);
        }
        int bar = target.lastIndexOf('|');
        if (plus && bar >= 0 && !names.isContainer(target.substring(0, bar))) {
            return withFirstArgument(target.substring(0, bar), target.substring(bar + 1));
        }
        if (!names.isKnown(target)) {
            throw new RuleException(RuleException.UNKNOWN_NAME);
        }
        return withCommand(target, plus);
    }

    private CommandRules withCategory(String target, boolean plus) throws RuleException {
        String category = target.substring(1);
        if (!RuleNames.CATEGORIES.contains(category)) {
            throw new RuleException(RuleException.UNKNOWN_NAME);
        }
        Set<String> more = new HashSet<>(allowed);
        Map<String, Set<String>> arguments = new HashMap<>(firstArguments);
        names.forEach(command -> {
            if (command.categories().contains(category)) {
                change(command, plus, more, arguments);
            }
        });
        return new CommandRules(names, all, rulesWith(target, plus), more, arguments);
    }

    private CommandRules withCommand(String target, boolean plus) {
        Set<String> more = new HashSet<>(allowed);
        Map<String, Set<String>> arguments = new HashMap<>(firstArguments);
        Command command = names.find(target);
        if (command != null) {
            change(command, plus, more, arguments);
        } else {
            arguments.remove(target);
        }
        List<String> left = rulesWithout(target);
        boolean isNews = command == null || !more.equals(of(left)) || !arguments.equals(firstArguments);
        return new CommandRules(names, all, isNews ? rulesWith(target, plus) : left, more, arguments);
    }

    /** Returns what some of the rules would allow. */
    private Set<String> of(List<String> some) {
        CommandRules only = all ? all(names) : none(names);
        try {
            for (String rule : some) {
                only = only.with(rule);
            }
        } catch (RuleException e) {
            throw new IllegalStateException("a rule that was taken before is refused", e);
        }
        return only.allowed;
    }

    private CommandRules withFirstArgument(String command, String argument) throws RuleException {
        if (!names.isKnown(command)) {
            throw new RuleException(RuleException.UNKNOWN_NAME);
        }
        if (command.indexOf('|') >= 0) {
            throw new RuleException("Allowing first-arg of a subcommand is not supported");
        }
        if (argument.isEmpty()) {
            throw new RuleException(RuleException.SYNTAX);
        }
        Map<String, Set<String>> arguments = new HashMap<>(firstArguments);
        Set<String> more = new HashSet<>(arguments.getOrDefault(command, Set.of()));
        more.add(argument);
        arguments.put(command, Set.copyOf(more));
        return new CommandRules(names, all, rulesWith(command + "|" + argument, true), allowed, arguments);
    }

    private static void change(Command command, boolean plus, Set<String> allowed, Map<String, Set<String>> arguments) {
        arguments.remove(command.name());
        if (plus) {
            allowed.add(command.name());
        } else {
            allowed.remove(command.name());
        }
        command.subcommands().forEach(sub -> change(sub, plus, allowed, arguments));
    }

    /** Returns the rules that still count when there is another one for a target. */
    private List<String> rulesWithout(String target) {
        return rules.stream()
                .filter(rule ->
                        !rule.substring(1).equals(target) && !rule.substring(1).startsWith(target + "|"))
                .toList();
    }

    private List<String> rulesWith(String target, boolean plus) {
        List<String> more = new ArrayList<>(rulesWithout(target));
        more.add((plus ? "+" : "-") + target);
        return more;
    }

    /** Returns whether a command may be carried out, whatever its arguments are. */
    boolean allows(Command command) {
        return allowsAll() || allowed.contains(command.name());
    }

    /** Returns whether a request may be carried out, whatever its keys are. It begins at one of the arguments. */
    boolean allows(Command command, Request request, int begin) {
        if (allows(command) || command.flags().contains(CommandFlag.NO_AUTH)) {
            return true;
        }
        Set<String> arguments = firstArguments.get(command.name());
        return arguments != null
                && begin + 1 < request.count()
                && arguments.contains(request.text(begin + 1).toLowerCase(Locale.ROOT));
    }

    /** Returns the rules in a row, as they can be given again. */
    String text() {
        String base = all ? "+@all" : "-@all";
        return rules.isEmpty() ? base : base + " " + String.join(" ", rules);
    }
}
