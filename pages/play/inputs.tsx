// The input messages and the environment variables.

import { Act } from "../kit/parts.tsx";
import { metadataOf, type PlayState } from "./state.ts";

/** Shows the messages of a state as fields. */
export function Inputs({
  state,
  change,
}: {
  readonly state: PlayState;
  readonly change: (part: Partial<PlayState>) => void;
}) {
  const { messages, isBatch, environment } = state;
  const replace = (at: number, message: (typeof messages)[number]) =>
    change({ messages: messages.with(at, message) });
  return (
    <>
      <div class="bar">
        <h2>Messages</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={isBatch}
            onChange={({ currentTarget }) => change({ isBatch: currentTarget.checked })}
          />
          as one batch
        </label>
        <Act
          text="Add"
          look="small"
          about="a message"
          work={() => change({ messages: [...messages, { content: "{}", metadata: {} }] })}
        />
      </div>
      <ol class="inputs">
        {messages.map(({ content, metadata }, at) => (
          // Messages have no names, so their index is the key.
          <li key={at}>
            <textarea
              aria-label={`Content of message ${at + 1}`}
              spellcheck={false}
              rows={Math.min(10, content.split("\n").length + 1)}
              value={content}
              onInput={({ currentTarget }) => replace(at, { content: currentTarget.value, metadata })}
            />
            <details>
              <summary>
                Metadata{Object.keys(metadata).length > 0 && `: ${Object.keys(metadata).join(", ")}`}
              </summary>
              <textarea
                aria-label={`Metadata of message ${at + 1}, a line each: key, colon, value`}
                spellcheck={false}
                rows={2}
                placeholder="topic: orders"
                defaultValue={linesOf(metadata)}
                onChange={({ currentTarget }) =>
                  replace(at, { content, metadata: metadataOf(currentTarget.value) })
                }
              />
            </details>
            {messages.length > 1 && (
              <Act
                text="Remove"
                look="small"
                about={`message ${at + 1}`}
                work={() => change({ messages: messages.toSpliced(at, 1) })}
              />
            )}
          </li>
        ))}
      </ol>
      <details>
        <summary>Environment</summary>
        <textarea
          aria-label="Environment, a line each: NAME=value"
          spellcheck={false}
          rows={3}
          placeholder="KAFKA=localhost:9092"
          value={environment}
          onInput={({ currentTarget }) => change({ environment: currentTarget.value })}
        />
      </details>
    </>
  );
}

function linesOf(metadata: Readonly<Record<string, string>>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n");
}
