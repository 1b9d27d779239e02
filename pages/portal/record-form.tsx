// A record as a form, and as the JSON that has all of it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { FieldError, Form, LongField, objectIn } from "../kit/forms.tsx";
import { t } from "./messages.ts";

/** Asks for a record in fields, or as JSON where the fields do not have all of it. */
export function RecordForm<T extends object>(options: {
  readonly record: T;
  /** Of the field with the JSON. */
  readonly name: string;
  readonly label: string;
  readonly note?: ComponentChildren;
  /** The fields of a record. */
  readonly children: (record: T) => ComponentChildren;
  /** What was written into them; `before` has what they do not. Throws a `FieldError`. */
  readonly read: (data: FormData, before: T) => T;
  readonly save: (record: object) => Promise<void>;
  /** Closes the dialog that the form is in. */
  readonly close?: () => void;
}) {
  const { name, label, note, children, read, save, close } = options;
  const [record, setRecord] = useState(options.record);
  const [isJson, setJson] = useState(false);
  // What was written as JSON is judged by those who take the record.
  const readJson = (data: FormData) => objectIn(name, String(data.get(name))) as T;
  const written = (data: FormData) => (isJson ? readJson(data) : read(data, record));
  const turn = (form: HTMLFormElement) => {
    try {
      setRecord(written(new FormData(form)));
      setJson(!isJson);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      // Sending it says at the field what is wrong with it.
      form.requestSubmit();
    }
  };
  return (
    <Form
      submit={t("word.save")}
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
