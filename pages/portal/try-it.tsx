// Trying an operation: a request, an event stream or a WebSocket, with the key of whoever tries it.

import { useEffect, useRef, useState } from "preact/hooks";
import { ChoiceField, Form, LongField, TextField, type Values } from "../kit/forms.tsx";
import { Code } from "../kit/parts.tsx";
import { messageOf } from "../kit/toasts.tsx";
import type { DocumentedOperation } from "./openapi.ts";

/** Characters that are shown of what comes. */
const mostShown = 20_000;

/** A form that calls an operation at the host of this page. */
export function TryIt(options: {
  readonly operation: DocumentedOperation;
  readonly base: string;
  readonly credential: string;
}) {
  const { operation, base, credential } = options;
  const [output, setOutput] = useState("");
  const [stop, setStop] = useState<() => void>();
  const running = useRef<(() => void) | undefined>(undefined);
  running.current = stop;
  // Whoever leaves the view leaves the stream.
  useEffect(() => () => running.current?.(), []);
  const add = (text: string) => setOutput((before) => (before + text).slice(-mostShown));
  const isHttp = /^[A-Z]+$/.test(operation.verb);
  const send = (values: Values) => {
    stop?.();
    setOutput("");
    const address = addressOf(operation, base, values, values.transport === "websocket" ? credential : "");
    const end =
      values.transport === "websocket"
        ? openSocket(address, values, add)
        : openRequest(address, values, credential, isHttp ? operation.verb : "GET", add);
    setStop(() => end);
  };
  const named = operation.parameters.filter(({ place }) => place === "path" || place === "query");
  const transports: readonly (readonly [string, string])[] = [
    ["http", isHttp ? "request" : "event stream"],
    ["websocket", "WebSocket"],
  ];
  return (
    <details>
      <summary>Try it</summary>
      <Form
        submit="Send"
        send={send}
        keeps
        beside={
          stop !== undefined && (
            <button
              type="button"
              onClick={() => {
                stop();
                setStop(undefined);
              }}
            >
              Stop
            </button>
          )
        }
      >
        {named.map(({ name, place, isRequired, type }) => (
          <TextField
            key={`${place} ${name}`}
            label={`${name} (${place})`}
            name={`${place}:${name}`}
            note={type}
            isRequired={isRequired || place === "path"}
          />
        ))}
        <TextField
          label="Header that carries the key; of a WebSocket, the query parameter"
          name="header"
          value="Authorization"
        />
        <ChoiceField label="As" name="transport" choices={transports} />
        {operation.verb !== "GET" && <LongField label="Body" name="body" value={operation.sample} rows={5} />}
      </Form>
      {output !== "" && <Code name={`Answer to ${operation.verb} ${operation.path}`} text={output} />}
    </details>
  );
}

function addressOf(operation: DocumentedOperation, base: string, values: Values, key: string): URL {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[`path:${name}`] ?? ""),
  );
  const address = new URL(`${base}/${path.replace(/^\//, "")}`, location.origin);
  // Nothing of a document leads to another host.
  if (address.origin !== location.origin) throw new Error("The address is not at this host.");
  for (const { name, place } of operation.parameters) {
    const value = values[`query:${name}`] ?? "";
    if (place === "query" && value !== "") address.searchParams.set(name, value);
  }
  if (key !== "") address.searchParams.set(values.header || "authorization", key);
  return address;
}

function openRequest(
  address: URL,
  values: Values,
  key: string,
  method: string,
  add: (text: string) => void,
): () => void {
  const controller = new AbortController();
  const { header = "", body = "" } = values;
  const run = async () => {
    const response = await fetch(address, {
      method,
      signal: controller.signal,
      credentials: "omit",
      headers: {
        ...(key !== "" && header !== "" && { [header]: key }),
        ...(body !== "" && { "content-type": "application/json" }),
      },
      ...(body !== "" && { body }),
    });
    add(`${response.status} ${response.statusText}\n${response.headers.get("content-type") ?? ""}\n\n`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
      add(part.value);
    }
  };
  run().catch((error: unknown) => {
    if (!controller.signal.aborted) add(messageOf(error));
  });
  return () => controller.abort();
}

function openSocket(address: URL, { body = "" }: Values, add: (text: string) => void): () => void {
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  socket.addEventListener("open", () => {
    add("connected\n");
    if (body !== "") socket.send(body);
  });
  socket.addEventListener("message", ({ data }) => add(`${typeof data === "string" ? data : "(binary)"}\n`));
  socket.addEventListener("close", ({ code, reason }) => add(`closed: ${code} ${reason}\n`));
  return () => socket.close();
}
