// The state that successive checks of the same documents share while an editor changes them.

import { createResultsMemory, type ResultsMemory } from "../diagnostics/results-memory.ts";
import { createDocumentMemory, type DocumentMemory } from "./document/document-memory.ts";
import { createOpenapiMemory, type OpenapiMemory } from "./openapi/valid-entries.ts";

/** Parsed trees and results for parts of them. Belongs to one unit of checking, which runs one check at a time. */
export interface CheckMemory {
  readonly documents: DocumentMemory;
  readonly results: ResultsMemory;
  readonly openapi: OpenapiMemory;
}

/** Returns an empty memory. */
export function createCheckMemory(): CheckMemory {
  return {
    documents: createDocumentMemory(),
    results: createResultsMemory(),
    openapi: createOpenapiMemory(),
  };
}
