// Where somebody may look at what a stream writes, while it does.

import type { Batch } from "../message/message.ts";

/** Of one stream, over all its versions. Without a listener it costs one comparison for each batch. */
export interface Tap {
  /** Called as a batch is given to an output. It must neither throw nor take long: the stream waits for it. */
  listener: ((batch: Batch, isDeadLetter: boolean) => void) | undefined;
}
