// The view of one API: its definition in the editor, problems, streams, diagrams and versions.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Drawing } from "../../management/drawing/drawing.ts";
import { confirmed } from "../kit/dialogs.tsx";
import type { CodeEditor } from "../kit/editor/code-editor.ts";
import { createLanguageClient, type LanguageClient } from "../kit/editor/language-client.ts";
import { FailedNotice, useFetched } from "../kit/fetched.tsx";
import { Act, Heading } from "../kit/parts.tsx";
import { goTo, inQuery, renameRoute, setInQuery } from "../kit/router.ts";
import { attempt, messageOf, orSay, say } from "../kit/toasts.tsx";
import { interval } from "./api-list.tsx";
import { Problems, Routes, Streams, Versions } from "./api-parts.tsx";
import { type Checked, createChecker, definitionType } from "./checking.ts";
import {
  type Draft,
  deleteApi,
  isChanged,
  readDefinition,
  saveDraft,
  unsavedText,
  versionOf,
} from "./draft.ts";
import { firstDefinition } from "./first-definition.ts";
import { publish } from "./publishing.tsx";
import { askServiceFor, isEntered, type Problem } from "./service.ts";
import { readStreams } from "./streams.ts";
import { Tail } from "./tail.tsx";
import { Pictures } from "./topology.tsx";

/** Shows the API with an id, or a new API if `id` is `undefined`. */
export function ApiView({ id: given }: { readonly id: string | undefined }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(undefined);
  const client = useRef<LanguageClient>(undefined);
  const [draft, setDraft] = useState<Draft>({ id: given, etag: undefined });
  const [checked, setChecked] = useState<Checked>();
  const [drawings, setDrawings] = useState<readonly Drawing[]>([]);
  const [failure, setFailure] = useState<string>();
  const watched = inQuery("watch");
  const showsVersions = inQuery("show") === "versions";
  const latest = useRef(draft);
  latest.current = draft;

  const draw = async (text: string) => {
    try {
      const question = { body: text, type: definitionType };
      const path = "/apis/streams/topology";
      const { Data } = await askServiceFor<{ Data: readonly Drawing[] }>("POST", path, question);
      if (text === editor.current?.text()) setDrawings(Data);
    } catch {
      // Diagrams are optional; the check reports errors.
      setDrawings([]);
    }
  };
  const checker = useRef(
    createChecker({
      text: () => editor.current?.text() ?? "",
      api: () => latest.current.id,
      begins() {
        setChecked(undefined);
        void draw(editor.current?.text() ?? "");
      },
      report(found) {
        editor.current?.show(found.problems);
        setChecked(found);
      },
    }),
  );
  const load = async (id: string | undefined) => {
    const { text, etag } =
      id === undefined ? { text: firstDefinition, etag: undefined } : await readDefinition(id);
    editor.current?.load(text);
    isChanged.value = false;
    setDraft({ id, etag });
    checker.current.soon();
  };
  const loadFirst = async () => {
    try {
      await load(given);
      setFailure(undefined);
      const kept = unsavedText(given);
      const { value } = kept;
      kept.forget();
      if (value === null) return;
      // Saving compares the version that the text is based on.
      setDraft(value.draft);
      editor.current?.load(value.text);
      isChanged.value = true;
      checker.current.soon();
      say("The changes from before the session ended are here again. They are not saved.");
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const save = async () => {
    const text = editor.current?.text() ?? "";
    const before = latest.current;
    // Without the entity tag, the text would overwrite one that was never shown.
    if (before.id !== undefined && before.etag === undefined)
      throw new Error("Not saved: the definition is not loaded yet.");
    const saved = await saveDraft(text, before);
    if (saved.outcome === "theirs") return load(before.id);
    if (saved.outcome === "refused") {
      editor.current?.show(saved.problems);
      setChecked({ problems: saved.problems });
      throw new Error("Not saved: the definition has errors.");
    }
    if (saved.outcome !== "saved") return;
    isChanged.value = text !== editor.current?.text();
    setDraft({ id: saved.id, etag: saved.etag });
    if (before.id === undefined) renameRoute("api", saved.id);
    say(before.id === undefined ? "The API is created, and goes live." : "Saved; the new version goes live.");
  };
  const saveNow = useRef(save);
  saveNow.current = save;

  useEffect(() => {
    let isOpen = true;
    const open = async () => {
      // The editor is most of the page's script and not needed for lists, so it is loaded on demand.
      const { createCodeEditor } = await import("../kit/editor/code-editor.ts");
      if (!isOpen || host.current === null) return;
      // The language server in a worker provides completion, hover and formatting; the service reports problems.
      client.current = createLanguageClient("worker.js");
      editor.current = createCodeEditor(host.current, {
        assisted: { client: client.current, uri: "file:///play/definition", language: "yaml" },
        label: "Definition",
        changed() {
          isChanged.value = true;
          checker.current.soon();
        },
        save: () => void attempt(() => saveNow.current()),
      });
      void orSay(() => editor.current?.ready);
      await loadFirst();
    };
    // Keeps the previous message, such as the one that the API was created.
    void orSay(open);
    return () => {
      isOpen = false;
      checker.current.stop();
      const text = editor.current?.text();
      if (isChanged.value && !isEntered.value && text !== undefined)
        unsavedText(latest.current.id).keep({ text, draft: latest.current });
      isChanged.value = false;
      editor.current?.close();
      client.current?.close();
    };
  }, []);

  const streams = useFetched(async () => (draft.id === undefined ? [] : readStreams(draft.id)), {
    keys: [draft.id],
    every: interval,
  });

  const visit = ({ line, column }: Pick<Problem, "line" | "column">) => editor.current?.goTo(line, column);
  const remove = () =>
    confirmed(
      {
        title: "Delete this API?",
        text: "Its streams end once what is in flight is done.",
        yes: "Delete it",
        no: "Keep it",
      },
      async () => {
        await deleteApi(latest.current);
        isChanged.value = false;
        goTo();
        say("Deleted.");
      },
    );
  const { id, etag } = draft;
  return (
    <>
      <Heading
        title={id ?? "New API"}
        crumbs={<a href="#/">All APIs</a>}
        beside={
          <span id="version" class="faint">
            {versionOf(etag)}
          </span>
        }
        tools={
          failure === undefined && (
            <>
              <Act text="Format" work={() => editor.current?.format()} />
              <Act text="Save" look="main" work={save} isDisabled={id !== undefined && !isChanged.value} />
              {id !== undefined && (
                <>
                  <Act text="Publish" work={() => publish(id)} />
                  <button
                    type="button"
                    aria-pressed={showsVersions}
                    onClick={() => setInQuery({ show: showsVersions ? "" : "versions" })}
                  >
                    Versions
                  </button>
                  <Act text="Delete" look="danger" work={remove} />
                </>
              )}
            </>
          )
        }
      />
      {failure !== undefined && (
        <FailedNotice name={given ?? "New API"} fetched={{ failure, isBusy: false, refresh: loadFirst }} />
      )}
      {id !== undefined && showsVersions && <Versions key={etag} id={id} done={() => load(id)} />}
      <div class="work" hidden={failure !== undefined}>
        <div id="editor" ref={host} />
        <Problems checked={checked} visit={visit} />
      </div>
      {id !== undefined && failure === undefined && (
        <Streams fetched={streams} watch={(stream) => setInQuery({ watch: stream })} />
      )}
      {id !== undefined && watched !== "" && (
        <Tail key={watched} api={id} stream={watched} close={() => setInQuery({ watch: "" })} />
      )}
      <Pictures drawings={drawings} streams={streams.answer ?? []} visit={visit} />
      {checked?.routes !== undefined && <Routes routes={checked.routes} />}
    </>
  );
}
