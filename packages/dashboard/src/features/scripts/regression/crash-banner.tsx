/** A banner about a version that crashes for customers, with a rollback button. */
import type { V1ProjectsHealthResponse } from '@scriptward/sdk'
import { addressOf } from '../../../lib/address.ts'
import { percent } from '../../../lib/format.ts'
import { text } from '../../../messages/text.ts'
import { useProjectHealth } from '../../../queries/project-health.ts'
import { useProject } from '../../../queries/projects.ts'
import { RollBackButton } from '../releases/roll-back.tsx'
import styles from './crash-banner.module.css'

type Found = V1ProjectsHealthResponse['regression']

export function useRegression(): Found {
  return useProjectHealth().data?.regression ?? null
}

export function CrashBanner({ found }: { found: Found }) {
  const t = text.health
  const { id } = useProject()
  if (found === null) return null
  const { script_id, version, customers, executor, share, share_before } = found
  const crashes = { outcome: 'crashed', script_id, version: String(version), period: '7d' }
  return (
    <section className={styles.banner} aria-label={t.regression}>
      <div>
        <strong>{t.crashedAfter(customers, executor, version)}</strong>
        <p>
          <bdi>{found.script_name}</bdi>: {t.crashFreeFell(percent(1 - share_before), percent(1 - share))}
        </p>
      </div>
      <span className="bar">
        <RollBackButton scriptId={script_id} version={version} />
        <a href={addressOf.project(id, 'logs', crashes)}>{t.viewCrashes}</a>
      </span>
    </section>
  )
}
