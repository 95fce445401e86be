/*
 * Copyright (c) 2020, MicroRaft.
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

package io.microraft.model.log;

import javax.annotation.Nonnull;

/**
 * Represents an entry in the Raft log.
 */
public interface LogEntry extends BaseLogEntry {

    /**
     * The builder interface for {@link LogEntry}.
     */
    interface LogEntryBuilder {

        @Nonnull
        LogEntryBuilder setIndex(long index);

        @Nonnull
        LogEntryBuilder setTerm(int term);

        @Nonnull
        LogEntryBuilder setOperation(@Nonnull Object operation);

        @Nonnull
        LogEntry build();

    }

}
