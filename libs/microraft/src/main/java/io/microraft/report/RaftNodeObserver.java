/*
 * Copyright (c) 2026, the Granary authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.microraft.report;

import io.microraft.RaftNode;

/**
 * Is told what a {@link RaftNode} has met that its reports do not show. Called by
 * the node's tasks, in the middle of what they do: it must not throw.
 */
public interface RaftNodeObserver {

    /** What a node that works can meet. */
    enum Event {
        /** A node that asked for pre-votes heard of the leader of its term again. */
        PRE_VOTE_ENDED_BY_THE_LEADER,
        /** A node that asked for pre-votes was refused by one with a later term, and follows it. */
        LATER_TERM_FOLLOWED,
        /** A node was asked for its vote, and waits before it asks for votes itself. */
        OTHERS_ELECTION_AWAITED,
        /** A response of a former term was dropped. */
        OUTDATED_RESPONSE_DROPPED
    }

    default void observed(Event event) {
    }

    /**
     * The store or the state machine has failed. It is the last thing that happens
     * in this node: it persists, applies, sends and answers nothing any more.
     *
     * @param reason
     *            what could not be done
     */
    default void failed(String reason, Throwable cause) {
    }

}
