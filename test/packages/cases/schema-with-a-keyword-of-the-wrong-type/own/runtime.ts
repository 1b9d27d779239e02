import { type Input, type Processor, textTarget, type Value } from "sluice/component";

export function lines(): Input {
  return { start: async () => undefined, close: async () => undefined };
}

export function upper(): Processor {
  return { process: (batch) => [batch] };
}

export function shout(target: Value, from: string): string {
  return `${textTarget(target, from).toUpperCase()}!`;
}
