/** The account's audit log, and its verification. */
import { useMutation } from '@tanstack/react-query'
import { AuditLog, useAuditLog, useAuditQuery } from '../../components/audit/audit-log.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'
import { type AuditQuery, access } from '../../queries/access.ts'
import { useCall } from '../../queries/api.ts'

export function AuditPage() {
  const call = useCall()
  const query = useAuditQuery()
  const { log, entries } = useAuditLog('audit', (query) => access.audit(call, query))
  return (
    <>
      <PageTitle title={text.auditTitle} intro={text.auditIntro}>
        <Export query={query} isEmpty={entries.length === 0} />
      </PageTitle>
      <AuditLog log={log} entries={entries} />
      <HowToVerify />
    </>
  )
}

function HowToVerify() {
  return (
    <section className="stack tight">
      <h2>{text.verifyTitle}</h2>
      <p className="hint">
        {text.verifyBefore} <code>scriptward doctor --verify-audit</code>.
      </p>
    </section>
  )
}

function Export({ query, isEmpty }: { query: AuditQuery; isEmpty: boolean }) {
  const call = useCall()
  const csv = useMutation({ mutationFn: () => access.auditCsv(call, query) })
  const save = (content: string) => saveText(`audit-${new Date().toISOString().slice(0, 10)}.csv`, content)
  return (
    <div className="stack tight">
      <button
        type="button"
        onClick={() => csv.mutate(undefined, { onSuccess: save })}
        disabled={csv.isPending || isEmpty}
      >
        {csv.isPending ? text.exporting : text.exportCsv}
      </button>
      <ErrorMessage of={csv.error} />
    </div>
  )
}
