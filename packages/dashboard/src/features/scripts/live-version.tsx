/**
 * A script's live version at a glance: its age, its run outcomes, and a button that rolls back to the
 * previous version.
 */
import { ErrorMessage } from '../../components/error-message.tsx'
import { FigureCard } from '../../components/figure-card.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number, percent } from '../../lib/format.ts'
import { stabilityOf, TONES } from '../../lib/stability.ts'
import { text } from '../../messages/text.ts'
import { useActivate } from './activate.ts'
import { authorName } from './author-name.ts'
import { type Health, useHealth } from './health.tsx'
import { type Script, useVersionsFrom, type Version, WRITE } from './queries.ts'
import styles from './scripts.module.css'

export function LiveVersion({ script }: { script: Script }) {
  const t = text.scripts
  const { query, rows } = useVersionsFrom(script.id, script.version)
  const health = useHealth(script.id).data?.find(({ version }) => version === script.version)
  const live = rows.find(({ version }) => version === script.version)
  return (
    <Panel
      title={t.versionOf(script.version)}
      hint={live?.notes?.split('\n', 1)[0] ?? t.liveHint}
      actions={<RollBack script={script} versions={rows} />}
    >
      <QueryBoundary query={query}>{live && <Figures version={live} health={health} />}</QueryBoundary>
    </Panel>
  )
}

type FiguresProps = { readonly version: Version; readonly health: Health | undefined }

function Figures({ version: { created_at, author }, health }: FiguresProps) {
  const t = text.health
  const share = health?.crash_free_customers ?? null
  const by =
    author === null ? undefined : (
      <span className={styles.author}>{text.scripts.uploadedBy(authorName(author))}</span>
    )
  return (
    <div className="figures">
      <FigureCard title={text.scripts.uploaded} value={<Time at={created_at} />} change={by} />
      <FigureCard title={t.customers} value={number(health?.customers ?? 0)} />
      <FigureCard
        title={t.crashFree}
        value={share === null ? t.none : percent(share)}
        {...(health && share !== null && ratingOf(share, health.crashed))}
      />
      <FigureCard title={t.denied} value={number(health?.denied ?? 0)} />
    </div>
  )
}

function ratingOf(share: number, crashed: number) {
  const t = text.health
  const stability = stabilityOf(share)
  const change =
    crashed > 0 ? t.ratedRuns(t.stability[stability], t.crashedRuns(crashed)) : t.stability[stability]
  return { change, tone: TONES[stability] }
}

/** Offers the most recent earlier version that was not yanked. */
function RollBack({ script, versions }: { script: Script; versions: readonly Version[] }) {
  const activate = useActivate(script)
  const before = versions.find(({ version, yanked_at }) => version < script.version && yanked_at === null)
  if (!before) return null
  return (
    <>
      <ErrorMessage of={activate.error} />
      <GuardedButton
        needs={WRITE}
        disabled={activate.isPending}
        onClick={() => activate.mutate(before.version)}
      >
        {text.scripts.rollBackTo(before.version)}
      </GuardedButton>
    </>
  )
}
