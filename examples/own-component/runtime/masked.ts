import { integerArgument, textTarget, type Value } from "sluice/component";

/** `.masked(keep)`: `"4242424242424242".masked()` is `************4242`. */
export function masked(target: Value, from: string, keep: Value = 4): string {
  const characters = [...textTarget(target, from)];
  const kept = Math.max(0, integerArgument("method 'masked'", "keep", keep));
  const hidden = Math.max(0, characters.length - kept);
  return "*".repeat(hidden) + characters.slice(hidden).join("");
}
