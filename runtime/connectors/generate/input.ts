import type { Input } from "../../component/component.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { generate } from "./generate.ts";
import { type GenerateInputOptions, generateInputDefaults } from "./generated/input-options.ts";
import { createInterval } from "./ticks.ts";

/** Messages every so often: `1s`, `@every 5m`. */
export function generateInput(options: GenerateInputOptions): Input {
  const { interval = generateInputDefaults.interval } = options;
  const ticks = createInterval(interval);
  if (ticks === undefined) throw new EnvironmentError([`\`${interval}\` is no interval`]);
  return generate(options, ticks);
}
