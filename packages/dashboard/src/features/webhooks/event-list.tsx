/** Lists all events, each with the endpoint that receives it. */
import { Panel } from '../../components/panel.tsx'
import { useIsPhone } from '../../lib/narrow.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import styles from './event-list.module.css'
import { EVENT_KINDS, EVENT_TYPES, type EventType } from './events.ts'
import { KINDS, type Kind } from './queries.ts'

const t = webhooksText

export function EventList() {
  return (
    <Panel title={t.events} hint={t.eventsHint}>
      <div className={styles.groups}>
        {KINDS.map((kind) => (
          <Group key={kind} title={t.kinds[kind]} events={ofKind(kind)} />
        ))}
        <Group title={t.anyAddress} events={ofKind(null)} />
      </div>
    </Panel>
  )
}

function ofKind(kind: Kind | null): readonly EventType[] {
  return EVENT_TYPES.filter((type) => EVENT_KINDS[type] === kind)
}

/** Collapsed on phones, where the full list of events would fill several screens. */
function Group({ title, events }: { title: string; events: readonly EventType[] }) {
  const isPhone = useIsPhone()
  const heading = <h3>{title}</h3>
  const list = (
    <dl className={styles.events}>
      {events.map((type) => (
        <div key={type}>
          <dt>
            <code>{type}</code>
          </dt>
          <dd>{t.about[type]}</dd>
        </div>
      ))}
    </dl>
  )
  if (isPhone)
    return (
      <details>
        <summary>
          {heading} <span className="hint">{t.eventCount(events.length)}</span>
        </summary>
        {list}
      </details>
    )
  return (
    <section className={styles.group}>
      {heading}
      {list}
    </section>
  )
}
