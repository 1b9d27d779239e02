// The documentation of an API: its operations with parameters, schemas and samples, each to be tried.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Documentation } from "../../runtime/portal/generated/documentation.ts";
import { Awaited, useAsked } from "../kit/asked.tsx";
import { TextField } from "../kit/forms.tsx";
import { Code, Empty, Heading } from "../kit/parts.tsx";
import { inQuery, setInQuery } from "../kit/router.ts";
import { messageOf } from "../kit/toasts.tsx";
import { askOwn } from "./interface.ts";
import {
  type DocumentedOperation,
  type Part,
  partOf,
  type ReadDocument,
  readDocument,
  textOf,
  typeOf,
} from "./openapi.ts";
import { TryIt } from "./try-it.tsx";

type Found = { readonly document: ReadDocument } | { readonly text: string; readonly reason: string };

const crumbs = <a href="#/">Catalogue</a>;

/** The documentation of what a policy opens. */
export function DocumentationView({ policy }: { readonly policy: string }) {
  const asked = useAsked(() => read(policy));
  return (
    <>
      {asked.answer === undefined && <Heading title="Documentation" crumbs={crumbs} />}
      <Awaited asked={asked} name="the documentation">
        {(found) =>
          "reason" in found ? (
            <>
              <Heading title="Documentation" crumbs={crumbs}>
                {found.reason}
              </Heading>
              <Code name="Document" text={found.text} />
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
  const { title, version, description, operations, base } = document;
  return (
    <>
      <Heading title={title || policy} crumbs={crumbs} beside={<span class="faint">{version}</span>}>
        {description}
      </Heading>
      <div class="card" onInput={(event) => setKey((event.target as HTMLInputElement).value)}>
        <TextField
          label="Your key, to try requests with"
          name="key"
          type="password"
          note="It stays in the memory of this page."
        />
      </div>
      <section class="card" aria-label="Operations">
        {operations.length === 0 && <Empty title="This document has no operations." />}
        {operations.map((operation) => (
          <Operation
            key={`${operation.verb} ${operation.path}`}
            operation={operation}
            base={base}
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
    return { text, reason: `This document is shown as it is: ${messageOf(error)}` };
  }
}

function Operation(options: {
  readonly operation: DocumentedOperation;
  readonly base: string;
  readonly credential: string;
}) {
  const { operation, base, credential } = options;
  const { verb, path, summary, description, parameters, bodies, sample } = operation;
  const name = `${verb} ${path}`;
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
        {description !== "" && <p>{description}</p>}
        {parameters.length > 0 && (
          <div>
            <h2>Parameters</h2>
            <ul>
              {parameters.map(({ name, place, type, isRequired, description }) => (
                <li key={`${place} ${name}`}>
                  <code>{name}</code>{" "}
                  <span class="faint">
                    {place}, {type}
                    {isRequired ? ", required" : ""}
                  </span>{" "}
                  {description}
                </li>
              ))}
            </ul>
          </div>
        )}
        {bodies.map(({ title, schema }) => (
          <div key={title}>
            <h2>{title}</h2>
            {schema !== undefined && <Schema schema={schema} />}
          </div>
        ))}
        {sample !== "" && (
          <div>
            <h2>Sample</h2>
            <Code name={`Sample of ${verb} ${path}`} text={sample} />
          </div>
        )}
        <TryIt operation={operation} base={base} credential={credential} />
      </div>
    </details>
  );
}

function Schema({ schema }: { readonly schema: Part }) {
  const properties = Object.entries(partOf(schema.properties));
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const items = partOf(schema.items);
  return (
    <>
      <span class="faint">{typeOf(schema)}</span> {textOf(schema.description)}
      {properties.length > 0 && (
        <ul class="schema">
          {properties.map(([name, each]) => (
            <li key={name}>
              <code>{name}</code>
              {required.includes(name) && <span class="faint"> required</span>}{" "}
              <Schema schema={partOf(each)} />
            </li>
          ))}
        </ul>
      )}
      {Object.keys(items).length > 0 && (
        <div class="schema">
          each: <Schema schema={items} />
        </div>
      )}
    </>
  );
}
