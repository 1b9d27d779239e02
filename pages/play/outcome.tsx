// The result of a run: each step with the known types, or the diagram of the stream.

import type { MadeMessage, RunAnswer, StepOutcome } from "../../playground/worker/protocol.ts";
import { Badge, Empty } from "../kit/parts.tsx";
import { Pictures } from "../management/topology.tsx";

type Visit = (place: { readonly line: number; readonly column: number }) => void;

/** Shows the result of a run, or that there is none yet. */
export function Outcome(options: {
  readonly answer: RunAnswer | undefined;
  readonly shows: "results" | "topology";
  readonly isMapping: boolean;
  readonly choose: (stream: string) => void;
  readonly visit: Visit;
}) {
  const { answer, shows, isMapping, choose, visit } = options;
  if (answer === undefined) return <p class="note">The compiler is being loaded.</p>;
  const { streams, stream, steps, drawing, problems } = answer;
  return (
    <>
      {streams.length > 1 && (
        <label class="choice">
          Stream{" "}
          <select value={stream} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {streams.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {problems.length > 0 && (
        <div class="notice bad" role="alert">
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
      {shows === "topology" ? (
        drawing === undefined ? (
          <Empty title="No stream to draw">A document with a stream has a picture here.</Empty>
        ) : (
          <Pictures drawings={[drawing]} streams={[]} visit={visit} />
        )
      ) : (
        <ol class="steps">
          {steps.map((step) => (
            <Step key={step.name} step={step} isMapping={isMapping} visit={visit} />
          ))}
        </ol>
      )}
    </>
  );
}

function Step({
  step,
  isMapping,
  visit,
}: {
  readonly step: StepOutcome;
  readonly isMapping: boolean;
  readonly visit: Visit;
}) {
  const { name, line, column = 1, type, mayFail, skipped, logged = [], batches } = step;
  const messages = batches?.flat() ?? [];
  return (
    <li>
      <div class="bar">
        {line === undefined ? (
          <h3>{name}</h3>
        ) : (
          <h3>
            <button type="button" class="link" onClick={() => visit({ line, column })}>
              {name}
            </button>
          </h3>
        )}
        {mayFail.length > 0 && <Badge tone="warn">may fail</Badge>}
      </div>
      {type !== "" && <pre class="type">{type}</pre>}
      {mayFail.length > 0 && (
        <p class="note">
          It may fail: <Quoted text={`${mayFail.join("; ")}.`} />
        </p>
      )}
      {skipped !== undefined && <p class="note">{skipped}</p>}
      {logged.length > 0 && <pre class="logged">{logged.join("\n")}</pre>}
      {batches !== undefined && messages.length === 0 && <p class="note">All messages were deleted.</p>}
      {batches?.map((batch, at) => (
        <div class={batch.length > 1 ? "batch" : ""} key={at}>
          {batch.map((message, place) => (
            <Message key={place} message={message} isMapping={isMapping} visit={visit} />
          ))}
        </div>
      ))}
    </li>
  );
}

function Message({
  message: { content, isText, metadata, failure },
  isMapping,
  visit,
}: {
  readonly message: MadeMessage;
  readonly isMapping: boolean;
  readonly visit: Visit;
}) {
  const rows = Object.entries(metadata);
  const failedLine = failure?.line;
  return (
    <div class={failure === undefined ? "message" : "message failed"}>
      {!isText && <small>Bytes, as hexadecimal digits</small>}
      <pre>{isText ? laidOut(content) : content}</pre>
      {rows.length > 0 && (
        <small class="metadata">{rows.map(([key, value]) => `${key}: ${value}`).join(" · ")}</small>
      )}
      {failure !== undefined && (
        <p class="bad">
          <Quoted text={failure.message} />{" "}
          {isMapping && failedLine !== undefined && (
            <button type="button" class="link" onClick={() => visit({ line: failedLine, column: 1 })}>
              Go to line {failedLine}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Breaks long JSON after each field. Numbers are not parsed, so that their digits stay the same. */
function laidOut(text: string): string {
  if (text.length < 90 || !/^[[{]/.test(text)) return text;
  let depth = 0;
  return text.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token) => {
    if (token === "{" || token === "[") {
      depth += 1;
      return `${token}\n${"  ".repeat(depth)}`;
    }
    if (token === "}" || token === "]") {
      depth -= 1;
      return `\n${"  ".repeat(depth)}${token}`;
    }
    return token === "," ? `,\n${"  ".repeat(depth)}` : token === ":" ? ": " : token;
  });
}

/** A sentence with names in backticks. */
function Quoted({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
