// The functions and methods of the mapping language, with samples to try.

import { useEffect, useState } from "preact/hooks";
import type { ListedFunction } from "../../playground/worker/protocol.ts";
import { Act } from "../kit/parts.tsx";
import { orSay } from "../kit/toasts.tsx";

/** A searchable list of functions. `tryOut` is called with a mapping. */
export function Functions(options: {
  readonly ask: () => Promise<readonly ListedFunction[]> | undefined;
  readonly tryOut: (mapping: string) => void;
}) {
  const { ask, tryOut } = options;
  const [all, setAll] = useState<readonly ListedFunction[]>([]);
  const [wanted, setWanted] = useState("");
  useEffect(() => {
    void orSay(async () => setAll((await ask()) ?? []));
  }, []);
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((each) => {
    const text = `${each.name} ${each.doc}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <label class="choice">
        Find{" "}
        <input
          type="search"
          value={wanted}
          placeholder="split, time, json …"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </label>
      <p class="note" role="status">
        {found.length} of {all.length}
      </p>
      <ul class="functions">
        {found.map(({ name, kind, signature, doc, sample }) => (
          <li key={`${kind} ${name}`}>
            <code>{signature}</code>
            <p>{doc}</p>
            {sample !== undefined && (
              <div class="bar">
                <code class="sample">{sample}</code>
                <Act text="Try" look="small" about={name} work={() => tryOut(`root = ${sample}\n`)} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
