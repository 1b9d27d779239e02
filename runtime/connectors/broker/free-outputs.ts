import type { Output } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";

/** Batches an output works on at a time before it counts as busy. */
const atATime = 64;

interface Waiting {
  readonly suits: (output: Output) => boolean;
  readonly resolve: (output: Output) => void;
  readonly reject: (failure: GatewayError) => void;
}

/** Outputs by how much they work on: the least busy one comes next, one that is stuck gets nothing more. */
export class FreeOutputs {
  readonly #working: Map<Output, number>;
  #waiting: Waiting[] = [];

  constructor(outputs: readonly Output[]) {
    this.#working = new Map(outputs.map((output) => [output, 0]));
    for (const { demand } of outputs) demand?.onChange(() => this.#serve());
  }

  /** The least busy of the outputs that suit; waits until one is free. To be given back. */
  take(suits: Waiting["suits"], end: AbortSignal): Promise<Output> {
    if (![...this.#working.keys()].some(suits)) suits = () => true; // the gate says why none does
    const output = this.#leastBusy(suits);
    if (output !== undefined) return Promise.resolve(this.#occupy(output));
    if (end.aborted) return Promise.reject(nobodyTakes());
    return new Promise((resolve, reject) => {
      const refuse = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(nobodyTakes());
      };
      end.addEventListener("abort", refuse, { once: true });
      const waiting: Waiting = {
        suits,
        reject,
        resolve: (found) => {
          end.removeEventListener("abort", refuse);
          resolve(found);
        },
      };
      this.#waiting.push(waiting);
    });
  }

  /** An output has finished one batch. */
  give(output: Output): void {
    this.#working.set(output, (this.#working.get(output) ?? 1) - 1);
    this.#serve();
  }

  /** Refuses what waits. */
  release(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(nobodyTakes());
  }

  #serve(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ suits, resolve }) => {
      const output = this.#leastBusy(suits);
      if (output !== undefined) resolve(this.#occupy(output));
      return output === undefined;
    });
  }

  #occupy(output: Output): Output {
    this.#working.set(output, (this.#working.get(output) ?? 0) + 1);
    return output;
  }

  #leastBusy(suits: Waiting["suits"]): Output | undefined {
    let found: Output | undefined;
    let least = atATime;
    for (const [output, working] of this.#working) {
      if (working >= least || output.demand?.wanted === false || !suits(output)) continue;
      found = output;
      least = working;
    }
    return found;
  }
}

/** Not retryable: whoever holds the write is to give it back, so that the input can let go of it. */
function nobodyTakes(): GatewayError {
  return new GatewayError(503, "No output takes messages", { retryable: false });
}
