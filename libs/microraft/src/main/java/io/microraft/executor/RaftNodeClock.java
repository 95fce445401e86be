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

package io.microraft.executor;

/** The time by which a Raft node notices silence; read by the node's tasks only. */
public interface RaftNodeClock {

    /** Milliseconds that have passed since some moment; positive, and never less than before. */
    long millis();

}
