// Tries a WebSocket: sends messages while it is open, and shows those received.

import { useEffect, useRef, useState } from "preact/hooks";
import { Form, LongField } from "../kit/forms.tsx";
import type { Tone } from "../kit/parts.tsx";
import { t } from "./messages.ts";
import { Connection, type Passed, Traffic, withPassed } from "./traffic.tsx";

type State = "connecting" | "connected" | "closed";
const tones: Readonly<Record<State, Tone>> = { connecting: "warn", connected: "good", closed: "plain" };

/** Connects when it is mounted, and closes when it is unmounted. */
export function SocketTried(options: {
  readonly name: string;
  readonly address: URL;
  /** A sample for the first message. */
  readonly sample: string;
}) {
  const { name, address, sample } = options;
  const [state, setState] = useState<State>("connecting");
  const [end, setEnd] = useState("");
  const [passed, setPassed] = useState<readonly Passed[]>([]);
  const socket = useRef<WebSocket>(undefined);
  const add = (direction: Passed["direction"], data: string) =>
    setPassed((before) => withPassed(before, [{ direction, event: "", id: "", data }]));
  useEffect(() => {
    const own = new WebSocket(address);
    own.binaryType = "arraybuffer";
    socket.current = own;
    own.addEventListener("open", () => setState("connected"));
    own.addEventListener("message", ({ data }) =>
      add(
        "received",
        typeof data === "string" ? data : t("try.bytes", { size: (data as ArrayBuffer).byteLength }),
      ),
    );
    own.addEventListener("close", ({ code, reason }) => {
      setState("closed");
      setEnd(endText(code, reason));
    });
    return () => own.close();
  }, []);
  return (
    <div class="stack tight tried">
      <Connection
        state={end === "" ? t(`try.${state}`) : `${t(`try.${state}`)}: ${end}`}
        tone={tones[state]}
        count={t("try.messages", { count: passed[0]?.number ?? 0 })}
        end={state === "closed" ? undefined : () => socket.current?.close(1000)}
      />
      {state === "connected" && (
        <Form
          submit={t("try.sendMessage")}
          keeps
          send={({ message = "" }) => {
            socket.current?.send(message);
            add("sent", message);
          }}
        >
          <LongField label={t("docs.message")} name="message" value={sample} rows={3} isRequired />
        </Form>
      )}
      <Traffic name={t("try.messagesOf", { name })} passed={passed} />
    </div>
  );
}

/** Returns why the connection was closed, with words for close codes (RFC 6455, section 7.4.1). */
function endText(code: number, reason: string): string {
  const known: Readonly<Record<number, string>> = {
    1000: t("try.done"),
    1001: t("try.stops"),
    1006: t("try.broken"),
    1008: t("try.refused"),
  };
  return reason === "" ? (known[code] ?? String(code)) : `${code}, ${reason}`;
}
