// Random pipelines between an input and an output that keep each message once.

import type { Random } from "../fuzz/byte-mutator.ts";
import type { Pair } from "./pairs.ts";

/** A pair with random steps, batching and composites around its input and output. */
export interface ShapedPair extends Pair {
  /** The steps and composites, for failure reports. */
  readonly shape: string;
}

/** Returns the same pair with a random shape. */
export function shapePair(pair: Pair, random: Random): ShapedPair {
  const processors = Array.from({ length: random(4) }, () => pick(steps, random)(random)).flat();
  const wrapInput = pick(inputs, random)(batchesBy(random), processors);
  const wrapOutput = pick(outputs, random)(batchesBy(random));
  return {
    name: `${pair.name}, shaped`,
    shape: JSON.stringify([wrapInput({}), wrapOutput({})]),
    async source(...given) {
      const source = await pair.source(...given);
      return { ...source, input: wrapInput(source.input) };
    },
    async destination(...given) {
      const destination = await pair.destination(...given);
      return { ...destination, output: wrapOutput(destination.output) };
    },
  };
}

function pick<T>(choices: readonly T[], random: Random): T {
  return choices[random(choices.length)] as T; // a list that is not empty
}

function batchesBy(random: Random): object {
  return { count: 1 + random(12), period: pick(["5ms", "30ms", "100ms"], random) };
}

const backoff = { initial_interval: "10ms", max_interval: "50ms" };

const seen = { mapping: "root = this\nroot.seen = true" };

const steps: readonly ((random: Random) => readonly object[])[] = [
  () => [seen],
  (random) => [{ split: { size: 1 + random(4) } }],
  () => [{ branch: { request_map: "root.n = this.n", processors: [seen], result_map: "root.b = this.n" } }],
  () => [
    { mapping: 'root = if this.n % 17 == 3 { throw("no") } else { this }' },
    { catch: [{ mapping: "root = this\nroot.caught = true" }] },
  ],
  () => [{ archive: { format: "json_array" } }, { unarchive: { format: "json_array" } }],
  () => [{ mapping: "root = [this]" }, { unarchive: { format: "json_array" } }],
  () => [{ group_by_value: { value: '${! json("n") % 3 }' } }],
  () => [{ group_by: [{ check: "this.n % 2 == 0", processors: [seen] }] }],
  () => [{ for_each: [seen] }],
  () => [{ try: [seen, { mutation: "root.tried = true" }] }],
  () => [{ switch: [{ check: "this.n % 2 == 0", processors: [seen] }, { processors: [seen] }] }],
  (random) => [{ parallel: { cap: 1 + random(5), processors: [{ sleep: { duration: "1ms" } }] } }],
  () => [{ sleep: { duration: '${! json("n") % 3 }ms' } }],
  () => [{ compress: { algorithm: "gzip" } }, { decompress: { algorithm: "gzip" } }],
  () => [{ msgpack: { operator: "from_json" } }, { msgpack: { operator: "to_json" } }],
  () => [{ jq: { query: ".queried = true" } }, { jmespath: { query: "@" } }],
  () => [
    {
      workflow: { meta_path: "", branches: { first: { processors: [seen], result_map: "root.w = this.n" } } },
    },
  ],
  () => [{ retry: { max_retries: 2, backoff, processors: [seen] } }],
  () => [{ while: { check: "this.looped == null", processors: [{ mutation: "root.looped = true" }] } }],
  () => [
    { insert_part: { index: -1, content: "extra" } },
    { mapping: 'root = if content() == "extra" { deleted() }' },
  ],
];

type Wrap = (component: object) => object;

const inputs: readonly ((batching: object, processors: readonly object[]) => Wrap)[] = [
  (_, processors) => (input) => ({ ...input, processors }),
  (policy, processors) => (input) => ({ batched: { child: input, policy }, processors }),
  (batching, processors) => (input) => ({ broker: { inputs: [input], batching }, processors }),
  (_, processors) => (input) => ({ broker: { inputs: [{ ...input, processors }] } }),
];

const outputs: readonly ((batching: object) => Wrap)[] = [
  () => (output) => output,
  (batching) => (output) => ({ broker: { outputs: [output], batching } }),
  () => (output) => ({ fallback: [{ reject: "the next one takes it" }, output] }),
  () => (output) => ({ retry: { output, backoff } }),
  () => (output) => ({ switch: { cases: [{ check: "this.n % 2 == 0", output }, { output }] } }),
  () => (output) => ({ broker: { pattern: "round_robin", outputs: [output, output] } }),
  () => (output) => ({ ...output, processors: [seen] }),
];
