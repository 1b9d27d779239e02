// A form for a record, with the complete record as JSON.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useDraft } from "../kit/drafts.tsx";
import { FieldError, Form, LongField, objectIn } from "../kit/forms.tsx";
import { t } from "./messages.ts";

/** A form for a record, with fields, or with JSON for what the fields do not cover. */
export function RecordForm<T extends object>(options: {
  readonly record: T;
  /** The name of the field with the JSON. */
  readonly name: string;
  readonly label: string;
  readonly note?: ComponentChildren;
  /** The fields of a record. */
  readonly children: (record: T) => ComponentChildren;
  /** Reads the values of the fields; `before` has all others. Throws a `FieldError`. */
  readonly read: (data: FormData, before: T) => T;
  readonly save: (record: object) => Promise<void>;
  /** Closes the dialog that contains the form. */
  readonly close?: () => void;
}) {
  const { name, label, note, children, read, save, close } = options;
  const kept = useDraft(name, options.record);
  const [record, setRecord] = useState(kept.value);
  const [isJson, setJson] = useState(false);
  // The server validates the JSON.
  const readJson = (data: FormData) => objectIn(name, String(data.get(name))) as T;
  const written = (data: FormData) => (isJson ? readJson(data) : read(data, record));
  const turn = (form: HTMLFormElement) => {
    try {
      setRecord(written(new FormData(form)));
      setJson(!isJson);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      // Submitting shows the error next to the field.
      form.requestSubmit();
    }
  };
  const draft = {
    open: () => kept.isRestored(),
    keep(form: HTMLFormElement) {
      try {
        kept.keep(written(new FormData(form)));
      } catch (error) {
        // The draft stays until the fields are valid again.
        if (!(error instanceof FieldError)) throw error;
      }
    },
    forget: kept.forget,
    reset: () => setRecord(options.record),
  };
  return (
    <Form
      submit={t("word.save")}
      draft={draft}
      send={async (_, data) => {
        const sent = written(data);
        await save(sent);
        setRecord(sent);
      }}
      keeps
      {...(close !== undefined && { close })}
      beside={
        <button type="button" onClick={({ currentTarget: { form } }) => form && turn(form)}>
          {t(isJson ? "word.asForm" : "word.asJson")}
        </button>
      }
    >
      {isJson ? (
        <LongField
          key="json"
          label={label}
          name={name}
          value={JSON.stringify(record, undefined, 2)}
          note={note}
          rows={18}
          isRequired
        />
      ) : (
        children(record)
      )}
    </Form>
  );
}
