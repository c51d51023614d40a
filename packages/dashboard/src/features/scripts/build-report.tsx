/** A version's build report: size, cost and warnings. */
import type { V1ScriptVersionsGetResponse } from '@scriptward/sdk'
import { FigureCard } from '../../components/figure-card.tsx'
import { bytes, number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import type { ServerCode } from './queries.ts'
import styles from './scripts.module.css'

type Version = V1ScriptVersionsGetResponse['version']

const GUIDE = '/guide/against-dumping'

const COUNTS = [
  ['liftedSlots', text.scripts.liftedSlots],
  ['variedNumbers', text.scripts.variedNumbers],
  ['functions', text.scripts.functions],
  ['virtualized', text.scripts.virtualized],
  ['strings', text.scripts.hiddenStrings],
  ['numbers', text.scripts.hiddenNumbers],
  ['globals', text.scripts.hiddenGlobals],
  ['served', text.scripts.served],
  ['locked', text.scripts.locked],
  ['compared', text.scripts.compared],
] as const

export function BuildReport({ version }: { version: Version }) {
  const { report, preset, source_bytes: before, protected_bytes: after } = version
  const mark = markOf(report.watermark)
  const warnings = Array.isArray(report.warnings) ? report.warnings.map(String) : []
  return (
    <>
      <div className="figures">
        <FigureCard title={text.scripts.protection} value={<span className={styles.preset}>{preset}</span>} />
        <FigureCard title={text.scripts.sourceSize} value={bytes(before)} />
        <FigureCard
          title={text.scripts.protectedSize}
          value={bytes(after)}
          change={text.scripts.times(after / Math.max(1, before))}
        />
        <FigureCard title={text.scripts.took} value={text.scripts.seconds(version.duration_ms)} />
        <FigureCard
          title={text.scripts.watermark}
          value={text.scripts.watermarkShort[mark]}
          change={text.scripts.slots(Number(report.slots ?? 0))}
          tone={mark === 'full' ? 'good' : 'bad'}
        />
      </div>
      <dl className={`facts-list ${styles.numbers}`}>
        <dt>{text.scripts.slowdown}</dt>
        <dd>{text.scripts.slowdowns[preset] ?? preset}</dd>
        <dt>{text.scripts.watermark}</dt>
        <dd>{text.scripts.watermarks[mark]}</dd>
        {/* Older build reports lack this field. */}
        {typeof report.tracing === 'string' && (
          <Fact title={text.scripts.traceable} value={text.scripts.traceableText(report.tracing)} />
        )}
        <dt>{text.scripts.target}</dt>
        <dd>{text.scripts.targets[String(report.target)] ?? String(report.target ?? '')}</dd>
        {/* Older build reports lack some of the counts. */}
        {COUNTS.filter(([name]) => report[name] !== undefined).map(([name, title]) => (
          <Fact key={name} title={title} value={number(Number(report[name]))} />
        ))}
        <Fact title={text.functions.movedTitle} value={countsOf(version.server_code)} />
        <Fact title={text.scripts.dataSize} value={bytes(Number(report.dataSize ?? 0))} />
      </dl>
      <p className="hint">
        {text.scripts.readable} <a href={GUIDE}>{text.scripts.whatToLock}</a>
      </p>
      <h3>{text.scripts.warnings}</h3>
      {warnings.length === 0 ? (
        <p className="hint">{text.scripts.noWarnings}</p>
      ) : (
        <ul className={styles.warnings}>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <Moved code={version.server_code} />
      <Sent version={version} />
    </>
  )
}

function Moved({ code }: { code: readonly ServerCode[] }) {
  if (code.length === 0) return null
  return (
    <>
      <h3>{text.functions.tab}</h3>
      <ul className={styles.warnings}>
        {code.map(({ number: id, name, place, kind, calls, failures }) => (
          <li key={id}>
            <code>{name}</code>{' '}
            <span className="hint">
              {[
                ...(name === place ? [] : [place]),
                (kind === 'table' ? text.functions.reads : text.functions.calls)(calls),
                text.functions.failures(failures),
              ].join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function countsOf(code: readonly ServerCode[]): string {
  const tables = code.filter(({ kind }) => kind === 'table').length
  return text.functions.movedCounts(code.length - tables, tables)
}

function Sent({ version: { messages, message_counts: counts } }: { version: Version }) {
  if (messages.length === 0) return null
  return (
    <>
      <h3>{text.scripts.sent}</h3>
      <ul className={styles.warnings}>
        {messages.map(({ number: id, line, host, unchecked }) => (
          <li key={id}>
            {text.scripts.sentAt(line, host ?? text.scripts.removedAddress)}
            {unchecked > 0 && <span className="hint"> {text.scripts.unchecked(unchecked)}</span>}
          </li>
        ))}
      </ul>
      <dl className={`facts-list ${styles.numbers}`}>
        {counts.map(({ outcome, count }) => (
          <Fact key={outcome} title={text.scripts.outcomes[outcome]} value={number(count)} />
        ))}
      </dl>
    </>
  )
}

function Fact({ title, value }: { title: string; value: string }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </>
  )
}

function markOf(given: unknown): keyof typeof text.scripts.watermarks {
  return given === 'full' || given === 'weak' ? given : 'none'
}
