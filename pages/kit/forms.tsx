// Forms that show each error next to the field it belongs to.

import { type ComponentChildren, createContext, Fragment } from "preact";
import { useContext, useId, useRef, useState } from "preact/hooks";
import { useBusy } from "./busy.ts";
import { type FormDraft, useDrafting } from "./drafts.tsx";
import { t, understood } from "./messages.ts";
import { Refusal } from "./requests.ts";
import { messageOf, say } from "./toasts.tsx";

/** Errors by field name. */
const Problems = createContext<Readonly<Record<string, string>>>({});

/** The value of a field is invalid. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** Returns the JSON object in the text of a field. Throws a `FieldError` if it is not one. */
export function objectIn(field: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new FieldError(field, t("kit.noJson", { reason: messageOf(error) }));
  }
  throw new FieldError(field, t("kit.noObject"));
}

/** The values of a form, as texts. */
export type Values = Readonly<Record<string, string>>;

/**
 * A form that passes its values to `send`, instead of submitting them. Shows the error if `send` rejects; refusals
 * that begin with the name of a field, such as `email: …`, or with the name in backticks, are shown next to that
 * field.
 */
export function Form(options: {
  readonly send: (values: Values, all: FormData) => unknown;
  /** The text of the submit button. */
  readonly submit: string;
  readonly children: ComponentChildren;
  readonly id?: string;
  readonly label?: string;
  /** Content next to the button. */
  readonly beside?: ComponentChildren;
  /** Whether to keep the values after sending. */
  readonly keeps?: boolean;
  /** Closes the dialog that contains the form, after sending or with a cancel button. */
  readonly close?: () => void;
  /** The draft of what the form edits; by default that of the values of its fields. */
  readonly draft?: FormDraft;
}) {
  const { send, submit, children, id, label, beside, keeps = false, close } = options;
  const form = useRef<HTMLFormElement>(null);
  const drafting = useDrafting(form, id ?? label ?? submit, options.draft);
  const leave = () => {
    drafting.forget();
    close?.();
  };
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const { isBusy, run } = useBusy();
  const submitted = async (own: HTMLFormElement) => {
    say("");
    const found = problemsOf(own);
    setProblems(found);
    const [first] = Object.keys(found);
    if (first !== undefined) {
      fieldOf(own, first)?.focus();
      return;
    }
    const data = new FormData(own);
    try {
      await send(Object.fromEntries([...data].map(([name, value]) => [name, String(value)])), data);
      leave();
      if (close !== undefined) return;
      if (!keeps) own.reset();
      drafting.restart();
    } catch (error) {
      setProblems(problemsIn(own, error));
    }
  };
  const start = (event: Event) => {
    event.preventDefault();
    const own = form.current;
    if (own !== null) void run(() => submitted(own));
  };
  const { "": whole = "" } = problems;
  return (
    <form ref={form} id={id} aria-label={label} noValidate onSubmit={start}>
      {drafting.notice}
      <Problems.Provider value={problems}>
        <Fragment key={drafting.generation}>{children}</Fragment>
      </Problems.Provider>
      {whole !== "" && (
        <p class="form-error" role="alert">
          {whole}
        </p>
      )}
      <div class="tools">
        <button type="submit" class="main" aria-disabled={isBusy}>
          {submit}
        </button>
        {beside}
        {close !== undefined && (
          <button type="button" onClick={leave}>
            {t("kit.cancel")}
          </button>
        )}
      </div>
    </form>
  );
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function fieldOf(form: HTMLFormElement, name: string): Control | undefined {
  const found = form.elements.namedItem(name);
  const first = found instanceof RadioNodeList ? found[0] : found;
  return first instanceof HTMLElement ? (first as Control) : undefined;
}

/** Returns the errors found by the browser, in its words. */
function problemsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const control of form.querySelectorAll<Control>("input, select, textarea")) {
    if (control.validity.valid || control.name in found) continue;
    found[control.name] = control.validity.valueMissing ? t("kit.required") : control.validationMessage;
  }
  return found;
}

function problemsIn(form: HTMLFormElement, error: unknown): Readonly<Record<string, string>> {
  const whole = { "": messageOf(error) };
  if (error instanceof FieldError) return { [error.field]: error.message };
  if (!(error instanceof Refusal)) return whole;
  // For example: `certificate` is not valid now.
  const [, subject = ""] = /^`(\w+)` /.exec(error.message) ?? [];
  if (error.words.length === 0 && subject !== "" && fieldOf(form, subject) !== undefined)
    return { [subject]: error.message };
  const named = error.words.flatMap((text) => {
    const [, name = "", words = ""] = /^(?:\w+\.)*(\w+): (.+)$/s.exec(text) ?? [];
    return name !== "" && fieldOf(form, name) !== undefined ? [[name, understood(words)] as const] : [];
  });
  return named.length === error.words.length && named.length > 0 ? Object.fromEntries(named) : whole;
}

/** Options common to all fields. */
interface FieldOptions {
  readonly label: string;
  readonly name: string;
  readonly note?: ComponentChildren;
}

/** A label, a control, and the error of the field. */
function Field(
  options: FieldOptions & {
    readonly inside: (attributes: {
      id: string;
      name: string;
      "aria-describedby": string | undefined;
      "aria-invalid": boolean;
    }) => ComponentChildren;
  },
) {
  const { label, name, note, inside } = options;
  const id = useId();
  const problem = useContext(Problems)[name];
  const about = problem !== undefined || note !== undefined ? `${id}-about` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {inside({ id, name, "aria-describedby": about, "aria-invalid": problem !== undefined })}
      {about !== undefined && (
        <span id={about}>
          {problem !== undefined && <span class="error">{problem} </span>}
          {note !== undefined && <span class="note">{note}</span>}
        </span>
      )}
    </div>
  );
}

/** A single-line text field. */
export function TextField(
  options: FieldOptions & {
    readonly type?: "text" | "email" | "password" | "url" | "number" | "search" | "color";
    readonly value?: string;
    readonly isRequired?: boolean;
    readonly least?: number;
    readonly most?: number;
    readonly fill?: string;
    readonly hint?: string;
    /** Suggested values. */
    readonly offered?: readonly (readonly [value: string, text: string])[];
  },
) {
  const {
    type = "text",
    value,
    isRequired = false,
    least,
    most,
    fill = "off",
    hint,
    offered,
    ...field
  } = options;
  return (
    <Field
      {...field}
      inside={(attributes) => (
        <>
          <input
            {...attributes}
            // Only `type="text"` type-checks with the roles of the other attributes.
            type={type as "text"}
            {...(type === "number" && { min: 0, step: "any" })}
            {...(value !== undefined && { defaultValue: value })}
            {...(least !== undefined && { minLength: least })}
            {...(most !== undefined && { maxLength: most })}
            {...(hint !== undefined && { placeholder: hint })}
            {...(offered !== undefined && { list: `${attributes.id}-offered` })}
            required={isRequired}
            autocomplete={fill as "off"}
          />
          {offered !== undefined && (
            <datalist id={`${attributes.id}-offered`}>
              {offered.map(([each, text]) => (
                <option key={each} value={each}>
                  {text}
                </option>
              ))}
            </datalist>
          )}
        </>
      )}
    />
  );
}

/** Units of time by their length in seconds. */
const units = [
  [1, "kit.seconds"],
  [60, "kit.minutes"],
  [3600, "kit.hours"],
  [86_400, "kit.days"],
] as const;

/** A field for a duration: a number and a unit. `secondsIn` reads its value. */
export function TimeField(
  options: FieldOptions & { readonly seconds?: number; readonly isRequired?: boolean },
) {
  const { seconds, isRequired = false, ...field } = options;
  const [unit] = units.findLast(([each]) => seconds !== undefined && seconds % each === 0) ?? units[0];
  return (
    <Field
      {...field}
      inside={(attributes) => (
        <div class="joined">
          <input
            {...attributes}
            type="number"
            min={0}
            step="any"
            {...(seconds !== undefined && { defaultValue: String(seconds / unit) })}
            required={isRequired}
          />
          <select name={`${field.name}.unit`} aria-label={t("kit.unitOf", { name: field.label })}>
            {units.map(([each, name]) => (
              <option key={each} value={each} selected={each === unit}>
                {t(name)}
              </option>
            ))}
          </select>
        </div>
      )}
    />
  );
}

/** Returns the number in a field; `undefined` if the field is empty. */
export function numberIn(data: FormData, name: string): number | undefined {
  const text = String(data.get(name) ?? "").trim();
  return text === "" ? undefined : Number(text);
}

/** Returns the seconds in a `TimeField`. */
export function secondsIn(data: FormData, name: string): number | undefined {
  const number = numberIn(data, name);
  return number === undefined ? undefined : number * Number(data.get(`${name}.unit`));
}

/** A text field with several lines. */
export function LongField(
  options: FieldOptions & { readonly value?: string; readonly rows?: number; readonly isRequired?: boolean },
) {
  const { value, rows = 6, isRequired = false, ...field } = options;
  return (
    <Field
      {...field}
      inside={(attributes) => (
        <textarea
          {...attributes}
          {...(value !== undefined && { defaultValue: value })}
          rows={rows}
          required={isRequired}
          spellcheck={false}
        />
      )}
    />
  );
}

/** A field to choose one of several values. */
export function ChoiceField(
  options: FieldOptions & {
    readonly choices: readonly (readonly [value: string, text: string])[];
    readonly value?: string;
    readonly isRequired?: boolean;
    readonly changed?: (value: string) => void;
  },
) {
  const { choices, value, isRequired = false, changed, ...field } = options;
  return (
    <Field
      {...field}
      inside={(attributes) => (
        <select
          {...attributes}
          required={isRequired}
          onChange={(event) => changed?.(event.currentTarget.value)}
        >
          {choices.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

/** A field to choose a file. */
export function FileField(options: FieldOptions & { readonly accept: string }) {
  const { accept, ...field } = options;
  return <Field {...field} inside={(attributes) => <input {...attributes} type="file" accept={accept} />} />;
}

/** A checkbox. */
export function CheckField(options: {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly isOn?: boolean;
}) {
  const { label, name, value = "true", isOn = false } = options;
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} defaultChecked={isOn} />
      {label}
    </label>
  );
}

/** A group of checkboxes with a title. */
export function ChecksField(options: {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly values?: readonly string[];
}) {
  const { label, name, choices, values = [] } = options;
  const problem = useContext(Problems)[name];
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {choices.map(([value, text]) => (
        <CheckField key={value} name={name} value={value} label={text} isOn={values.includes(value)} />
      ))}
      {problem !== undefined && <span class="error">{problem}</span>}
    </fieldset>
  );
}
