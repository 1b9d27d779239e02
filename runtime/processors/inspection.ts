// What functions find that look at the options of processors when a gateway is built.

/** Something that options should not say; `field` is the option it is about. */
export interface Problem {
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
}

/** What is wrong with options, and the JSON Schema of the documents that come out, where that is known. */
export interface Inspected {
  readonly problems: readonly Problem[];
  readonly produces?: boolean | Readonly<Record<string, unknown>>;
}

/** Options as documents write them; fields that are known only at the start are absent. */
export type WrittenOptions = Readonly<Record<string, unknown>>;

/** No problem, and nothing known of the result. */
export const nothingFound: Inspected = { problems: [] };

/** What is wrong with one text: what `read` throws. Texts that are absent or empty are for the schema to report. */
export function inspectText(
  options: WrittenOptions,
  field: string,
  read: (text: string) => Inspected["produces"],
  hint?: string,
): Inspected {
  const text = options[field];
  if (typeof text !== "string" || text === "") return nothingFound;
  try {
    const produces = read(text);
    return produces === undefined ? nothingFound : { problems: [], produces };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problems: [{ field, message: error.message, ...(hint !== undefined && { hint }) }] };
  }
}
