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

package io.microraft.impl.state;

/**
 * Holds a follower back while another node's election is under way: whoever is
 * asked for its vote waits as long as an election may take before it asks for
 * votes itself (<i>In Search of an Understandable Consensus Algorithm</i>,
 * section 5.2). A follower looks for a leader once a heartbeat otherwise, and
 * would disturb each election that takes longer than that.
 * <p>
 * Not more than {@link #MOST_HELD} times without a leader in between: one who
 * asks again and again, and hears no answers, is not to keep the others from
 * electing somebody else.
 */
public final class OthersElection {

    private static final int MOST_HELD = 3;

    private int held;
    private boolean underWay;
    private long endMillis;

    /**
     * Another node asks for a vote, in a term that is new here.
     */
    public void began(long nowMillis, long lengthMillis) {
        if (held < MOST_HELD) {
            held++;
            underWay = true;
            endMillis = nowMillis + lengthMillis;
        }
    }

    /**
     * There is a leader.
     */
    public void ended() {
        held = 0;
        underWay = false;
    }

    public boolean isUnderWay(long nowMillis) {
        return underWay && nowMillis < endMillis;
    }

}
