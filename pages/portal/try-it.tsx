// Tries an operation as a request, an event stream or a WebSocket, with the developer's credential.

import { useState } from "preact/hooks";
import { ChoiceField, Form, LongField, TextField, type Values } from "../kit/forms.tsx";
import type { DocumentedOperation, Transport } from "./documented.ts";
import { t } from "./messages.ts";
import { RequestTried, type TriedRequest } from "./tried-request.tsx";
import { SocketTried } from "./tried-socket.tsx";

/** The current attempt. Its number distinguishes it from others. */
type Attempt =
  | { readonly number: number; readonly request: TriedRequest }
  | { readonly number: number; readonly socket: URL };

const transportNames: Readonly<Record<Transport, () => string>> = {
  http: () => t("try.request"),
  events: () => t("try.stream"),
  websocket: () => "WebSocket",
};

/** A form that calls an operation at the host of this page. */
export function TryIt(options: {
  readonly operation: DocumentedOperation;
  readonly base: string;
  readonly credential: string;
}) {
  const { operation, base, credential } = options;
  const [attempt, setAttempt] = useState<Attempt>();
  const [first = "http"] = operation.transports;
  const [transport, setTransport] = useState<Transport>(first);
  const isSocket = transport === "websocket";
  const name = `${operation.verb} ${operation.path}`;
  const send = (values: Values) => {
    const number = (attempt?.number ?? 0) + 1;
    const { place = "", name: keyName = "", body = "" } = values;
    const inQuery = isSocket || place === "query";
    const address = addressOf(operation, base, values);
    if (credential !== "" && keyName !== "" && inQuery) address.searchParams.set(keyName, credential);
    if (isSocket) {
      address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
      setAttempt({ number, socket: address });
      return;
    }
    const headers = {
      ...(credential !== "" && keyName !== "" && !inQuery && { [keyName]: credential }),
      ...(transport === "events" && { accept: "text/event-stream" }),
      ...(body !== "" && { "content-type": "application/json" }),
    };
    setAttempt({ number, request: { address, method: operation.method, headers, body } });
  };
  const known = operation.keys.find(({ place }) => place === "query" || (!isSocket && place === "header"));
  const named = operation.parameters.filter(({ place }) => place === "path" || place === "query");
  const hasBody = !isSocket && operation.method !== "GET" && operation.method !== "HEAD";
  return (
    <details>
      <summary>{t("try.title")}</summary>
      <Form submit={isSocket ? t("try.connect") : t("try.send")} send={send} keeps>
        {named.map(({ name, place, isRequired, type }) => (
          <TextField
            key={`${place} ${name}`}
            label={`${name} (${place})`}
            name={`${place}:${name}`}
            note={type}
            isRequired={isRequired || place === "path"}
          />
        ))}
        {operation.transports.length > 1 && (
          <ChoiceField
            label={t("try.as")}
            name="transport"
            value={transport}
            changed={(value) => setTransport(operation.transports.find((each) => each === value) ?? first)}
            choices={operation.transports.map((each) => [each, transportNames[each]()])}
          />
        )}
        {!isSocket && (
          <ChoiceField
            label={t("try.keyInto")}
            name="place"
            value={known?.place ?? "header"}
            choices={[
              ["header", t("try.inHeader")],
              ["query", t("try.inQuery")],
            ]}
          />
        )}
        <TextField
          key={transport}
          label={isSocket ? t("try.keyQuery") : t("try.keyName")}
          name="name"
          value={known?.name ?? "Authorization"}
          {...(isSocket && { note: t("try.noHeaders") })}
        />
        {hasBody && <LongField label={t("try.body")} name="body" value={operation.sample} rows={5} />}
      </Form>
      {attempt !== undefined &&
        ("socket" in attempt ? (
          <SocketTried key={attempt.number} name={name} address={attempt.socket} sample={operation.sample} />
        ) : (
          <RequestTried key={attempt.number} name={name} request={attempt.request} />
        ))}
    </details>
  );
}

function addressOf(operation: DocumentedOperation, base: string, values: Values): URL {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[`path:${name}`] ?? ""),
  );
  const address = new URL(`${base}/${path.replace(/^\//, "")}`, location.origin);
  // A document must not direct requests to another host.
  if (address.origin !== location.origin) throw new Error(t("try.otherHost"));
  for (const { name, place } of operation.parameters) {
    const value = values[`query:${name}`] ?? "";
    if (place === "query" && value !== "") address.searchParams.set(name, value);
  }
  return address;
}
