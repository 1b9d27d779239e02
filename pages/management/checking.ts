// Checks the text in the editor with the same checker that decides whether the service accepts it.

import { Refusal } from "../kit/requests.ts";
import { askService, type Problem, problemsOf, type Route } from "./service.ts";

/** The result of checking a text. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** The routes and their callers; known if there are no errors. */
  readonly routes?: readonly Route[];
  /** Why the text is refused, if the reason does not concern a line. */
  readonly refusal?: string;
}

export interface Checker {
  /** Checks the text after a pause. The response to an earlier check is ignored. */
  soon(): void;
  /** Cancels the current check. */
  stop(): void;
}

/** Milliseconds without a change before the service checks the text. */
const pause = 350;

/** Creates a checker, which checks the newest text and reports the result unless the text has changed meanwhile. */
export function createChecker(options: {
  text(): string;
  /** Returns the API that the text is for; `undefined` for a new one. */
  api(): string | undefined;
  begins(): void;
  report(checked: Checked): void;
}): Checker {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: AbortController | undefined;

  function stop(): void {
    clearTimeout(timer);
    request?.abort();
    request = undefined;
  }

  async function look(): Promise<void> {
    const own = new AbortController();
    request = own;
    options.begins();
    const checked = await check(options.text(), options.api(), own.signal);
    if (request === own) options.report(checked);
  }

  return {
    soon() {
      stop();
      timer = setTimeout(() => void look(), pause);
    },
    stop,
  };
}

async function check(body: string, api: string | undefined, signal: AbortSignal): Promise<Checked> {
  const query = api === undefined ? "" : `?${new URLSearchParams({ id: api })}`;
  try {
    const { text } = await askService("POST", `/apis/streams/validate${query}`, {
      body,
      type: definitionType,
      signal,
    });
    const { Errors = [], Routes }: { Errors?: readonly Problem[]; Routes: readonly Route[] } =
      JSON.parse(text);
    return { problems: Errors, routes: Routes };
  } catch (error) {
    if (!(error instanceof Refusal)) return { problems: [], refusal: String(error) };
    const problems = problemsOf(error);
    const isExplained = problems.some(({ severity }) => severity === "error");
    return { problems, ...(!isExplained && { refusal: error.message }) };
  }
}

/** JSON or YAML; the service detects which. */
export const definitionType = "application/vnd.gw.streams.oas";
