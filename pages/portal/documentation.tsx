// The documentation of an API: its operations with parameters, schemas, samples, and a form to try each.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Documentation } from "../../runtime/portal/generated/documentation.ts";
import { Awaited, useFetched } from "../kit/fetched.tsx";
import { TextField } from "../kit/forms.tsx";
import { InlineMarkdown, Markdown } from "../kit/markdown.tsx";
import { Code, CopyButton, Empty, Heading } from "../kit/parts.tsx";
import { inQuery, setInQuery } from "../kit/router.ts";
import { messageOf } from "../kit/toasts.tsx";
import { abilities } from "./accounts.tsx";
import { readDocument } from "./document.ts";
import { commandOf, type DocumentedBody, type DocumentedOperation, type ReadDocument } from "./documented.ts";
import { askOwn } from "./interface.ts";
import { t } from "./messages.ts";
import { SchemaView } from "./schema-view.tsx";
import type { Part } from "./schemas.ts";
import type { KeyPlace } from "./security.ts";
import { TryIt } from "./try-it.tsx";

type Found = { readonly document: ReadDocument } | { readonly text: string; readonly reason: string };

const crumbs = () => <a href="#/">{t("word.catalogue")}</a>;

/** Shows the documentation of the API that a policy grants access to. */
export function DocumentationView({ policy }: { readonly policy: string }) {
  const fetched = useFetched(() => read(policy));
  return (
    <>
      {fetched.answer === undefined && <Heading title={t("word.documentation")} crumbs={crumbs()} />}
      <Awaited fetched={fetched} name={t("word.documentation")}>
        {(found) =>
          "reason" in found ? (
            <>
              <Heading title={t("word.documentation")} crumbs={crumbs()}>
                {found.reason}
              </Heading>
              <Code name={t("docs.document")} text={found.text} />
            </>
          ) : (
            <Read document={found.document} policy={policy} />
          )
        }
      </Awaited>
    </>
  );
}

function Read({ document, policy }: { readonly document: ReadDocument; readonly policy: string }) {
  const [key, setKey] = useState("");
  const { kind, title, version, description, operations, origin, base, root } = document;
  const isElsewhere = abilities.value.apis_elsewhere === true;
  const host = origin || (isElsewhere ? "https://GATEWAY" : location.origin);
  return (
    <>
      <Heading
        title={title || policy}
        crumbs={crumbs()}
        beside={<span class="faint">{`${version} ${kind}`}</span>}
      />
      {description !== "" && <Markdown text={description} />}
      <div class="card" onInput={(event) => setKey((event.target as HTMLInputElement).value)}>
        <TextField label={t("docs.yourKey")} name="key" type="password" note={t("docs.yourKeyNote")} />
        {isElsewhere && (
          <p class="note">
            {origin === "" ? `${t("docs.noHost")} ${t("docs.elsewhere")}` : t("docs.elsewhere")}
          </p>
        )}
      </div>
      <section class="card" aria-label={t("docs.operations")}>
        {operations.length === 0 && <Empty title={t("docs.noOperations")} />}
        {operations.map((operation) => (
          <Operation
            key={`${operation.verb} ${operation.path} ${operation.summary}`}
            operation={operation}
            root={root}
            base={base}
            server={`${host}${base}`}
            credential={key}
          />
        ))}
      </section>
    </>
  );
}

async function read(policy: string): Promise<Found> {
  const path = `/catalogue/${encodeURIComponent(policy)}/documentation`;
  const { documentation } = await askOwn<Documentation>("GET", path);
  const text = new TextDecoder().decode(
    Uint8Array.from(atob(documentation), (letter) => letter.charCodeAt(0)),
  );
  try {
    return { document: readDocument(text) };
  } catch (error) {
    return { text, reason: t("docs.asItIs", { reason: messageOf(error) }) };
  }
}

function Operation(options: {
  readonly operation: DocumentedOperation;
  readonly root: Part;
  readonly base: string;
  /** The server in commands, which run outside this page. */
  readonly server: string;
  readonly credential: string;
}) {
  const { operation, root, base, server, credential } = options;
  const { verb, path, summary, description, parameters, bodies, sample, keys, transports } = operation;
  const name = `${verb} ${path}`;
  const command = commandOf(operation, server);
  const [isOpen, setOpen] = useState(inQuery("operation") === name);
  const place = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen) place.current?.scrollIntoView();
  }, []);
  return (
    <details
      class="operation"
      ref={place}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open === isOpen) return;
        setOpen(open);
        setInQuery({ operation: open ? name : "" });
      }}
    >
      <summary>
        <span class="verb">{verb}</span>
        <code>{path}</code>
        <span class="faint">{summary}</span>
      </summary>
      <div class="stack">
        {description !== "" && <Markdown text={description} />}
        {parameters.length > 0 && (
          <div>
            <h2>{t("docs.parameters")}</h2>
            <ul>
              {parameters.map(({ name, place, type, isRequired, description }) => (
                <li key={`${place} ${name}`}>
                  <code>{name}</code>{" "}
                  <span class="faint">
                    {place}, {type}
                    {isRequired ? `, ${t("docs.required")}` : ""}
                  </span>{" "}
                  <InlineMarkdown text={description} />
                </li>
              ))}
            </ul>
          </div>
        )}
        {keys.length > 0 && <Keys keys={keys} />}
        {bodies.map((body, index) => (
          <Body key={`${index} ${body.title}`} body={body} root={root} />
        ))}
        {sample !== "" && (
          <div>
            <h2>{t("docs.sample")}</h2>
            <Code name={t("docs.sampleOf", { name })} text={sample} />
          </div>
        )}
        {command !== "" && (
          <div>
            <h2>{t("docs.command")}</h2>
            <Code name={t("docs.commandOf", { name })} text={command} />
            <CopyButton text={command} name={t("docs.commandOf", { name })} />
          </div>
        )}
        {transports.length > 0 && <TryIt operation={operation} base={base} credential={credential} />}
      </div>
    </details>
  );
}

/** Shows a body or a message: its description and its schema. */
function Body({ body, root }: { readonly body: DocumentedBody; readonly root: Part }) {
  const { title, summary, type, schema, headers } = body;
  return (
    <div>
      <h2>
        {title} <span class="note">{type}</span>
      </h2>
      {summary !== "" && <Markdown text={summary} />}
      {schema !== undefined && <SchemaView root={root} schema={schema} />}
      {headers !== undefined && (
        <>
          <h3>{t("docs.headers")}</h3>
          <SchemaView root={root} schema={headers} />
        </>
      )}
    </div>
  );
}

/** Shows where the credential is sent. */
function Keys({ keys }: { readonly keys: readonly KeyPlace[] }) {
  return (
    <div>
      <h2>{t("docs.keyPlace")}</h2>
      <ul>
        {keys.map(({ text, description }) => (
          <li key={text}>
            <code>{text}</code> <InlineMarkdown text={description} />
          </li>
        ))}
      </ul>
    </div>
  );
}
