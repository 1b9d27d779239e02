// What is wrong with the text in the editor, from the checker that decides whether it is taken.

import { Refusal } from "../kit/requests.ts";
import { askService, type Problem, problemsOf, type Route } from "./service.ts";

/** What came of looking at a text. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** Who may call what; known where nothing is wrong. */
  readonly routes?: readonly Route[];
  /** Why it is not taken, where no line of it is wrong. */
  readonly refusal?: string;
}

export interface Checker {
  /** Looks at the text soon; a question that is under way is about a text that is gone. */
  soon(): void;
  /** Forgets what is under way. */
  stop(): void;
}

/** Milliseconds without a change before the service is asked. */
const pause = 350;

/** Asks about the newest text, and tells the answer unless the text has changed meanwhile. */
export function createChecker(options: {
  text(): string;
  /** The API it is meant for; none for a new one. */
  api(): string | undefined;
  begins(): void;
  tell(checked: Checked): void;
}): Checker {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  function stop(): void {
    clearTimeout(timer);
    asking?.abort();
    asking = undefined;
  }

  async function look(): Promise<void> {
    const own = new AbortController();
    asking = own;
    options.begins();
    const checked = await check(options.text(), options.api(), own.signal);
    if (asking === own) options.tell(checked);
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
    const isTold = problems.some(({ severity }) => severity === "error");
    return { problems, ...(!isTold && { refusal: error.message }) };
  }
}

/** JSON or YAML: the service sees which. */
export const definitionType = "application/vnd.gw.streams.oas";
