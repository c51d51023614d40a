/** What the obfuscator made of a version: its size, its price and what it warns about. */
import type { V1ScriptVersionsGetResponse } from '@scriptward/sdk'
import { bytes, number } from '../../format.ts'
import { FigureCard } from '../../parts/figure-card.tsx'
import { text } from '../../text/text.ts'
import styles from './scripts.module.css'

type Version = V1ScriptVersionsGetResponse['version']

const COUNTS = [
  ['functions', text.scripts.functions],
  ['virtualized', text.scripts.virtualized],
  ['strings', text.scripts.hiddenStrings],
  ['numbers', text.scripts.hiddenNumbers],
  ['globals', text.scripts.hiddenGlobals],
  ['served', text.scripts.served],
] as const

export function BuildReport({ version }: { version: Version }) {
  const { report, preset, source_bytes: before, protected_bytes: after } = version
  const mark = markOf(report.watermark)
  const warnings = Array.isArray(report.warnings) ? report.warnings.map(String) : []
  return (
    <>
      <div className="figures">
        <FigureCard title={text.scripts.protection} value={preset} />
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
        <dt>{text.scripts.target}</dt>
        <dd>{text.scripts.targets[String(report.target)] ?? String(report.target ?? '')}</dd>
        {COUNTS.map(([name, title]) => (
          <Fact key={name} title={title} value={number(Number(report[name] ?? 0))} />
        ))}
        <Fact title={text.scripts.dataSize} value={bytes(Number(report.dataSize ?? 0))} />
      </dl>
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
