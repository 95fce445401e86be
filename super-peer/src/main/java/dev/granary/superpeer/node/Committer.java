package dev.granary.superpeer.node;

import java.util.concurrent.CompletableFuture;

/**
 * Through which all changes of a replicated state go.
 *
 * @param <C> the commands
 * @param <R> what a command leads to
 */
public interface Committer<C, R> {

    /**
     * Has a command replicated and carried out.
     *
     * @return completes with the result as a task of the scheduler; fails with a {@link dev.granary.raft.RaftFailure}
     *     when this super-peer does not lead, or when it is not known what becomes of the command
     */
    CompletableFuture<R> commit(C command);

    /**
     * Makes sure that no other super-peer leads: whatever it decides comes after the moment of this call. Completes as
     * a task of the scheduler, fails as {@link #commit} does.
     */
    CompletableFuture<Void> confirm();
}
