// The administrators' view of changes made through the portal.

import type { AuditEntry } from "../../runtime/portal/audit.ts";
import { usePaged } from "../kit/paged.ts";
import { Act, Empty, Heading, Time } from "../kit/parts.tsx";
import { inQuery, linkWith, setInQuery } from "../kit/router.ts";
import { Table } from "../kit/table.tsx";
import { askPortal, type Listed } from "./interface.ts";
import { operationInWords, t } from "./messages.ts";

/** Lists every change, the newest first, optionally filtered by actor or operation. */
export function AuditLogView() {
  const [actor, action] = [inQuery("actor"), inQuery("action")];
  const wanted = new URLSearchParams({ ...(actor && { actor }), ...(action && { action }) });
  const changes = usePaged(
    "audit",
    (page) => askPortal<Listed<AuditEntry>>("GET", `/audit?p=${page}&page_size=200&${wanted}`),
    [actor, action],
  );
  return (
    <>
      <Heading title={t("nav.audit")}>{t("audit.text")}</Heading>
      <Table
        id="audit"
        title={t("audit.changes")}
        rows={changes.answer?.Data}
        fetched={changes}
        pages={changes.pages}
        keyOf={({ id }) => id}
        textOf={({ actor, action, object }) => `${actor} ${operationInWords(action)} ${action} ${object}`}
        tools={
          wanted.size > 0 && (
            <Act text={t("audit.all")} work={() => setInQuery({ actor: "", action: "", "audit.page": "" })} />
          )
        }
        columns={[
          { title: t("audit.when"), cell: ({ date_created: at }) => <Time at={at} isExact /> },
          {
            title: t("audit.who"),
            cell: ({ actor: name, actor_id: id }) => (
              <a href={linkWith({ actor: id ?? name, action }, "audit")} title={t("audit.only", { name })}>
                {name}
              </a>
            ),
          },
          {
            title: t("audit.what"),
            cell: ({ action: id }) => {
              const name = operationInWords(id);
              return (
                <a href={linkWith({ actor, action: id }, "audit")} title={t("audit.only", { name })}>
                  {name}
                </a>
              );
            },
          },
          { title: t("audit.of"), cell: ({ object }) => <code>{object}</code> },
        ]}
        empty={
          <Empty title={t("audit.none")}>
            {wanted.size > 0 ? t("audit.noneOfThese") : t("audit.noneText")}
          </Empty>
        }
      />
    </>
  );
}
