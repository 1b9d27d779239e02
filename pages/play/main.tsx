// The playground: a mapping or a document on one side, messages and their results on the other.

import { useEffect, useRef, useState } from "preact/hooks";
import type { PlacedFile, RunAnswer } from "../../playground/worker/protocol.ts";
import type { CodeEditor } from "../kit/editor/code-editor.ts";
import {
  createLanguageClient,
  type LanguageClient,
  type LspDiagnostic,
} from "../kit/editor/language-client.ts";
import type { Marked } from "../kit/editor/marked.ts";
import { english } from "../kit/english.ts";
import { Mark } from "../kit/icons.tsx";
import { Act } from "../kit/parts.tsx";
import { start } from "../kit/shell.tsx";
import { messageOf, orSay, say } from "../kit/toasts.tsx";
import { Functions } from "./functions.tsx";
import { Inputs } from "./inputs.tsx";
import { Outcome } from "./outcome.tsx";
import {
  firstDocument,
  firstMapping,
  fragmentOf,
  isMapping,
  type PlayState,
  stateIn,
  variablesOf,
} from "./state.ts";

/** Milliseconds without a change before the messages are run, and the maximum duration of a run. */
const pause = 250;
const longestRun = 10_000;

/** The views next to the text. */
const views = { results: "Results", topology: "Topology", functions: "Functions" } as const;

function Play({ given }: { readonly given: PlayState }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(undefined);
  const client = useRef<LanguageClient>(undefined);
  const [state, setState] = useState(given);
  const [answer, setAnswer] = useState<RunAnswer>();
  const [problems, setProblems] = useState<readonly Marked[]>([]);
  const [view, setView] = useState<keyof typeof views>("results");
  const latest = useRef(state);
  latest.current = state;
  /** The user's text of the other kind, kept for switching back. */
  const other = useRef<PlayState>(isMapping(given.path) ? firstDocument : firstMapping);
  const change = (part: Partial<PlayState>) => setState((before) => ({ ...before, ...part }));

  useEffect(() => {
    const { path, files } = state;
    const created = createLanguageClient("worker.js", [["playground/files", { placed: files }]]);
    client.current = created;
    const uri = uriOf(path);
    created.onDiagnostics((about, diagnostics) => {
      if (about !== uri) return;
      const marked = diagnostics.map((each) => markedOf(each, editor.current?.text() ?? ""));
      setProblems(marked);
      editor.current?.show(marked);
    });
    let isOpen = true;
    void orSay(async () => {
      const { createCodeEditor } = await import("../kit/editor/code-editor.ts");
      if (!isOpen || host.current === null) return;
      const made = createCodeEditor(host.current, {
        label: isMapping(path) ? "Mapping" : "Document",
        changed: () => change({ text: made.text() }),
        save: () => void share(),
        assisted: { client: created, uri, language: isMapping(path) ? "blobl" : "yaml" },
      });
      editor.current = made;
      made.load(latest.current.text);
      await made.ready;
    });
    return () => {
      isOpen = false;
      editor.current?.close();
      created.close();
    };
  }, [state.path, state.files]);

  useEffect(() => {
    let isNewest = true;
    const timer = setTimeout(async () => {
      const { path, text, messages, isBatch, environment, stream } = state;
      const request = { path, text, messages, isBatch, environment: variablesOf(environment) };
      try {
        const asked = { ...request, ...(stream !== undefined && { stream }) };
        const found = await client.current?.request<RunAnswer>("playground/run", asked, longestRun);
        if (isNewest) setAnswer(found);
      } catch (error) {
        if (isNewest) setAnswer({ streams: [], steps: [], problems: [messageOf(error)] });
      }
    }, pause);
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
  }, [state]);

  const share = async () => {
    const fragment = await fragmentOf(latest.current);
    history.replaceState(undefined, "", fragment);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    say("The address of this page now holds all of it, and is copied.");
  };
  const turn = (kind: "mapping" | "document") => {
    if (isMapping(state.path) === (kind === "mapping")) return;
    const next = other.current;
    other.current = state;
    setAnswer(undefined);
    setProblems([]);
    setState(next);
  };
  const visit = ({ line, column }: { readonly line: number; readonly column: number }) =>
    editor.current?.goTo(line, column);
  const tryFunction = (text: string) => {
    if (!isMapping(latest.current.path)) return turn("mapping");
    editor.current?.load(text);
    change({ text });
    setView("results");
  };
  const isOfMapping = isMapping(state.path);
  const shown = isOfMapping && view === "topology" ? "results" : view;
  return (
    <div class="play">
      <header>
        <a class="brand" href="./">
          <Mark />
          <span>
            Sluice<small>Playground</small>
          </span>
        </a>
        <div class="kinds" role="group" aria-label="What is written">
          {(["mapping", "document"] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={isOfMapping === (kind === "mapping")}
              onClick={() => turn(kind)}
            >
              {kind === "mapping" ? "Mapping" : "Document"}
            </button>
          ))}
        </div>
        <div class="tools">
          <Act text="Format" work={() => editor.current?.format()} />
          <Act text="Share" look="main" work={share} />
        </div>
      </header>
      <main id="main">
        <h1 class="unseen">Playground</h1>
        <section class="written" aria-label={isOfMapping ? "Mapping" : "Document"}>
          <div id="editor" ref={host} />
          <Problems problems={problems} visit={visit} />
        </section>
        <section class="sent" aria-label="Messages">
          <Inputs state={state} change={change} />
        </section>
        <section class="made" aria-label="What becomes of them">
          <div class="tabs" role="tablist">
            {Object.entries(views).map(([name, title]) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={shown === name}
                aria-controls="shown"
                disabled={isOfMapping && name === "topology"}
                onClick={() => setView(name as keyof typeof views)}
              >
                {title}
              </button>
            ))}
          </div>
          <div id="shown" role="tabpanel" aria-labelledby={`tab-${shown}`}>
            {shown === "functions" ? (
              <Functions
                ask={() => client.current?.request("playground/functions", undefined)}
                tryOut={tryFunction}
              />
            ) : (
              <Outcome
                answer={answer}
                shows={shown}
                isMapping={isOfMapping}
                choose={(stream) => change({ stream })}
                visit={visit}
              />
            )}
          </div>
        </section>
      </main>
    </div>
  );
}

/** Lists the problems, with links to their positions. */
function Problems(options: {
  readonly problems: readonly Marked[];
  readonly visit: (place: { readonly line: number; readonly column: number }) => void;
}) {
  const { problems, visit } = options;
  if (problems.length === 0) return null;
  return (
    <ul class="problems" aria-label="Diagnostics">
      {problems.map((each) => (
        <li key={`${each.line}:${each.column} ${each.message}`}>
          <button type="button" class={each.severity} onClick={() => visit(each)}>
            <small>
              Line {each.line} · {each.code}
            </small>
            {each.message}
          </button>
        </li>
      ))}
    </ul>
  );
}

function uriOf(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Converts a diagnostic: the editor counts columns in code points, the protocol in UTF-16 units. */
function markedOf({ range, severity = 1, code, message }: LspDiagnostic, text: string): Marked {
  const lines = text.split("\n");
  const columnOf = (line: number, character: number) =>
    [...(lines[line] ?? "").slice(0, character)].length + 1;
  return {
    line: range.start.line + 1,
    column: columnOf(range.start.line, range.start.character),
    endLine: range.end.line + 1,
    endColumn: columnOf(range.end.line, range.end.character),
    severity: severity === 1 ? "error" : severity === 2 ? "warning" : "info",
    code: String(code ?? ""),
    message,
  };
}

/** The file that `sluice play` was started with: a text and the files that it reads. */
interface Given {
  readonly path: string;
  readonly text: string;
  readonly files: readonly PlacedFile[];
}

async function begin(): Promise<PlayState> {
  try {
    const shared = await stateIn(location.hash);
    if (shared !== undefined) return shared;
    const response = await fetch("start.json");
    const given = (await response.json()) as Given | null;
    return given === null ? firstMapping : { ...firstMapping, ...given };
  } catch {
    say("The link cannot be read.", true);
    return firstMapping;
  }
}

const given = await begin();
start(<Play given={given} />, english);
