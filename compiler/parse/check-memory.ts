// What checks of the same documents keep for each other while an editor changes them.

import { createResultsMemory, type ResultsMemory } from "../diagnostics/results-memory.ts";
import { createDocumentMemory, type DocumentMemory } from "./document/document-memory.ts";
import { createOpenapiMemory, type OpenapiMemory } from "./openapi/valid-entries.ts";

/** The trees of documents, and what was found out of parts of them. For one unit of checking, one check at a time. */
export interface CheckMemory {
  readonly documents: DocumentMemory;
  readonly results: ResultsMemory;
  readonly openapi: OpenapiMemory;
}

/** A memory with nothing in it. */
export function createCheckMemory(): CheckMemory {
  return {
    documents: createDocumentMemory(),
    results: createResultsMemory(),
    openapi: createOpenapiMemory(),
  };
}
