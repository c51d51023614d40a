/** Warnings about settings that allow fake visits and about steps that nobody completes. */
import { Panel } from '../../components/panel.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { type Checkpoint, useCheckpoints } from './queries.ts'

/** Threshold above which zero confirmations indicate a misconfiguration. */
const SUSPICIOUS = 5

export function Warnings({ systemId }: { systemId: string }) {
  const { data = [] } = useCheckpoints(systemId)
  const found = data.flatMap(warningsOf)
  if (found.length === 0) return null
  return (
    <Panel title={t.warnings}>
      {found.map((words) => (
        <p key={words} className="notice warn">
          {words}
        </p>
      ))}
    </Panel>
  )
}

function warningsOf({ name, provider_data: data, total_started, total_completed }: Checkpoint): string[] {
  const isUnsigned = data.unsigned_postbacks === true && typeof data.postback_secret !== 'string'
  const rules: readonly (readonly [boolean, string])[] = [
    [data.require_postback === false, t.warnNoPostback(name)],
    [isUnsigned, t.warnUnsigned(name)],
    [data.override === false, t.warnShared(name)],
    [data.delete_token === false, t.warnReused(name)],
    [data.check_ip === 'off', t.warnAnyAddress(name)],
    [total_started >= SUSPICIOUS && total_completed === 0, t.warnNobody(name, total_started)],
  ]
  return rules.filter(([holds]) => holds).map(([, words]) => words)
}
