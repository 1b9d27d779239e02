// Drafts of forms: changes that were not sent, kept in the tab over a reload and over the end of a session.

import type { ComponentChild, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "./messages.ts";

const prefix = "draft ";
const ownerKey = "drafts of";

/** The draft of an object. */
interface Draft<T> {
  /** The changed object, or the initial one. */
  readonly value: T;
  /** Whether there is a changed object. */
  isRestored(): boolean;
  /** Keeps a changed object; forgets the draft if it is the initial one. */
  keep(value: T): void;
  forget(): void;
}

/** The draft of what a form edits. */
export interface FormDraft {
  /** Fills the form when it is shown. Returns whether it has changes that were not sent. */
  open(form: HTMLFormElement): boolean;
  /** Keeps the changes in the form. */
  keep(form: HTMLFormElement): void;
  /** Forgets the changes, when they were sent or are discarded. */
  forget(): void;
  /** Shows the initial state of what is not in fields. */
  reset?(): void;
}

/** Returns the draft of an object that the form with that name edits, at the current address. */
export function useDraft<T>(name: string, initial: T): Draft<T> {
  const [key] = useState(() => keyOf(name));
  return useMemo(() => openDraft(key, initial), [JSON.stringify(initial)]);
}

/**
 * Returns the draft of the values of a form's fields. Passwords, files and other secrets are not kept, and nothing of a
 * form with a password.
 */
function useValuesDraft(name: string): FormDraft {
  const [key] = useState(() => keyOf(name));
  const draft = useRef<Draft<Values>>(undefined);
  return {
    open(form) {
      if (form.querySelector("[type=password]") !== null) return false;
      draft.current = openDraft(key, valuesOf(form));
      if (!draft.current.isRestored()) return false;
      fill(form, draft.current.value);
      return true;
    },
    keep(form) {
      draft.current?.keep(valuesOf(form));
    },
    forget() {
      draft.current?.forget();
    },
  };
}

/** What a form needs to keep a draft. */
interface Drafting {
  /** Says that the form has changes that were not sent, with a button to discard them. */
  readonly notice: ComponentChild;
  /** The key of the content, which starts again when the changes are discarded. */
  readonly generation: number;
  /** Forgets the changes. */
  readonly forget: () => void;
  /** Starts another draft, from the current values. */
  readonly restart: () => void;
}

/** Keeps what a user changes in a form, and fills the form with it when it is shown again. */
export function useDrafting(
  form: RefObject<HTMLFormElement | null>,
  name: string,
  given: FormDraft | undefined,
): Drafting {
  const values = useValuesDraft(name);
  const draft = given ?? values;
  const latest = useRef(draft);
  latest.current = draft;
  const [isRestored, setRestored] = useState(false);
  const [generation, setGeneration] = useState(0);
  const restart = () => {
    if (form.current !== null) setRestored(latest.current.open(form.current));
  };
  useLayoutEffect(restart, [generation]);
  useLayoutEffect(() => {
    const { current: own } = form;
    const keep = () => {
      if (own?.isConnected) latest.current.keep(own);
    };
    // Buttons add and remove fields, in the next render.
    const keepSoon = ({ target }: Event) => {
      if (target instanceof HTMLButtonElement && target.type === "button") setTimeout(keep);
    };
    own?.addEventListener("input", keep);
    own?.addEventListener("click", keepSoon);
  }, []);
  const forget = () => {
    latest.current.forget();
    setRestored(false);
  };
  const discard = (event: Event) => {
    event.stopPropagation();
    forget();
    draft.reset?.();
    setGeneration(generation + 1);
  };
  const notice = isRestored && (
    <p class="notice" role="status">
      <span>{t("kit.restored")}</span>
      <button type="button" class="small" onClick={discard}>
        {t("kit.discard")}
      </button>
    </p>
  );
  return { notice, generation, forget, restart };
}

/** Returns the key of a draft: the name of the form, and the address of the view, which changes when a dialog is closed. */
function keyOf(name: string): string {
  return `${prefix}${location.pathname}${location.hash} ${name}`;
}

interface Kept {
  readonly base: string;
  readonly text: string;
}

/** Returns the draft of what a view without a form edits. */
export function draftAt<T>(view: string, name: string, initial: T): Draft<T> {
  return openDraft(`${prefix}${location.pathname}${view} ${name}`, initial);
}

/** A draft of another initial state is dropped: somebody else has changed the record since. */
function openDraft<T>(key: string, initial: T): Draft<T> {
  const base = JSON.stringify(initial);
  const find = (): Kept | undefined => {
    const text = sessionStorage.getItem(key);
    const kept: Kept | undefined = text === null ? undefined : JSON.parse(text);
    return kept?.base === base ? kept : undefined;
  };
  const kept = find();
  return {
    value: kept === undefined ? initial : JSON.parse(kept.text),
    isRestored: () => find() !== undefined,
    keep(value) {
      const text = JSON.stringify(value);
      if (text === base) sessionStorage.removeItem(key);
      else write(key, JSON.stringify({ base, text }));
    },
    forget: () => sessionStorage.removeItem(key),
  };
}

function write(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The storage of the tab is full. The form works without a draft.
    sessionStorage.removeItem(key);
  }
}

/** Forgets all drafts and whose they are, when the user logs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix) || key === ownerKey) sessionStorage.removeItem(key);
  }
}

/** Forgets the drafts of other users, when a user logs in. `user` is empty if the name is not known. */
export function keepDraftsOf(user: string): void {
  if ((sessionStorage.getItem(ownerKey) ?? "") !== user) forgetDrafts();
  if (user !== "") write(ownerKey, user);
}

/** The values of fields: texts by name, and `true` or `false` of checkboxes by name and value. */
type Values = Readonly<Record<string, string | boolean>>;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function controlsOf(form: HTMLFormElement): readonly (readonly [name: string, control: Control])[] {
  const controls = [...form.querySelectorAll<Control>("input, select, textarea")];
  return controls
    .filter(({ type, name }) => name !== "" && type !== "file" && !/password|secret/.test(name))
    .map((control) => [
      control.type === "checkbox" ? `${control.name}=${control.value}` : control.name,
      control,
    ]);
}

function isCheck(control: Control): control is HTMLInputElement {
  return control.type === "checkbox";
}

function valuesOf(form: HTMLFormElement): Values {
  return Object.fromEntries(
    controlsOf(form).map(([name, control]) => [name, isCheck(control) ? control.checked : control.value]),
  );
}

function fill(form: HTMLFormElement, values: Values): void {
  for (const [name, control] of controlsOf(form)) {
    const { [name]: value } = values;
    if (isCheck(control)) control.checked = value === true;
    else if (typeof value === "string") control.value = value;
    // The view may show or hide other fields.
    if (control instanceof HTMLSelectElement) control.dispatchEvent(new Event("change", { bubbles: true }));
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}
