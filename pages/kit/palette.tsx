// The command palette: opens every view and action of the page by name, with the keyboard (Ctrl-K or Cmd-K).

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "./messages.ts";
import { attempt } from "./toasts.tsx";

/** An entry of the palette. */
export interface Command {
  readonly text: string;
  /** The kind of entry, such as `stream`. */
  readonly kind: string;
  /** The action, or the address of a view. */
  readonly run: string | (() => unknown);
}

/** The available commands; set by the page. */
export const commands = signal<readonly Command[]>([]);

const isOpen = signal(false);
const mostShown = 12;

/** Opens the palette. */
export function openPalette(): void {
  isOpen.value = true;
}

/** Listens for the keyboard shortcut and shows the palette. */
export function PaletteKeys() {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      isOpen.value = !isOpen.value;
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
  return isOpen.value && commands.value.length > 0 ? <Palette /> : null;
}

function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  const found = findCommands(commands.value, text).slice(0, mostShown);
  const close = () => {
    isOpen.value = false;
  };
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    if (typeof command.run === "string") location.hash = command.run;
    else void attempt(command.run);
  };
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      run(found[chosen]);
    }
  };
  return (
    <dialog ref={dialog} class="palette" aria-label={t("kit.palette")} onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label={t("kit.palette")}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        placeholder={t("kit.whereTo")}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={move}
      />
      <div id="palette-list" role="listbox" aria-label={t("kit.found")}>
        {found.map((command, index) => (
          <div
            key={`${command.kind} ${command.text} ${command.run}`}
            id={`palette-${index}`}
            class="choice"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
            onKeyDown={move}
          >
            <span>{command.text}</span>
            <small>{command.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="empty">{t("kit.nothingCalled", { text })}</p>}
    </dialog>
  );
}

/** Returns the commands that contain every word of the text; those whose name begins with it come first. */
function findCommands(all: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = all.filter(({ text, kind }) => {
    const name = `${text} ${kind}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
  const [first = ""] = words;
  const rank = (command: Command) => (command.text.toLowerCase().startsWith(first) ? 0 : 1);
  return hits.toSorted((a, b) => rank(a) - rank(b));
}
