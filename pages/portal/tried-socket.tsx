// A WebSocket that is tried: messages are sent as long as it is open, and received ones are shown.

import { useEffect, useRef, useState } from "preact/hooks";
import { Form, LongField } from "../kit/forms.tsx";
import { countText } from "../kit/numbers.ts";
import type { Tone } from "../kit/parts.tsx";
import { Connection, type Passed, Traffic, withPassed } from "./traffic.tsx";

type State = "connecting" | "connected" | "closed";
const tones: Readonly<Record<State, Tone>> = { connecting: "warn", connected: "good", closed: "plain" };

/** Connects as it appears, and closes as it goes. */
export function SocketTried(options: {
  readonly name: string;
  readonly address: URL;
  /** What the first message may be. */
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
        typeof data === "string" ? data : `(${(data as ArrayBuffer).byteLength} bytes, no text)`,
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
        state={end === "" ? state : `${state}: ${end}`}
        tone={tones[state]}
        count={countText(passed[0]?.number ?? 0, "message")}
        end={state === "closed" ? undefined : () => socket.current?.close(1000)}
      />
      {state === "connected" && (
        <Form
          submit="Send the message"
          keeps
          send={({ message = "" }) => {
            socket.current?.send(message);
            add("sent", message);
          }}
        >
          <LongField label="Message" name="message" value={sample} rows={3} isRequired />
        </Form>
      )}
      <Traffic name={`Messages of ${name}`} passed={passed} />
    </div>
  );
}

/** Why it was closed: RFC 6455, section 7.4.1, for the codes that say little by themselves. */
function endText(code: number, reason: string): string {
  const known: Readonly<Record<number, string>> = {
    1000: "1000, done",
    1001: "1001, the gateway stops",
    1006: "1006, the gateway refused it or the connection broke",
    1008: "1008, the credential is not accepted",
  };
  return reason === "" ? (known[code] ?? String(code)) : `${code}, ${reason}`;
}
