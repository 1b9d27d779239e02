import type { Input, InputContext } from "../../component/component.ts";
import { createCaller, type HttpCaller } from "../../requests/caller.ts";
import { type HttpClientInputOptions, httpClientInputDefaults } from "./generated/input-options.ts";
import type { InputSettings } from "./pace.ts";
import { poll } from "./polling.ts";
import { readStreams } from "./streaming.ts";

/**
 * Calls an address again and again; each reply is one message, or with `stream` each line of a reply that does not
 * end. The next call is made once what came is confirmed, and not before `rate_limit` has passed since the last
 * call, or lets it through. Interpolated fields see the previous reply, an empty message at first.
 */
export function httpClientInput(options: HttpClientInputOptions): Input {
  return callingInput(options, ({ stream }) => (stream.enabled === true ? readStreams : poll));
}

/** Calls until `stop` is aborted; resolves when what came is settled. */
type Work = (
  settings: InputSettings,
  caller: HttpCaller,
  context: InputContext,
  stop: AbortSignal,
) => Promise<void>;

/** An input that calls an address as `workOf` says. */
export function callingInput(
  options: HttpClientInputOptions,
  workOf: (settings: InputSettings) => Work,
): Input {
  const settings: InputSettings = { ...httpClientInputDefaults, ...options };
  const closing = new AbortController();
  let caller: HttpCaller | undefined;
  let running: Promise<void> | undefined;
  return {
    async start(given) {
      const context: InputContext = settings.auto_replay_nacks ? given : { ...given, maxAttempts: 1 };
      const { rate_limit: limit, ...fixed } = settings;
      caller = createCaller(typeof limit === "object" ? { ...fixed, rate_limit: limit } : fixed);
      running = workOf(settings)(settings, caller, context, closing.signal);
    },
    async close() {
      closing.abort();
      await running;
      caller?.close();
    },
  };
}
