/** Numbers, and numbers over time. */

import { number } from '../../format.ts'
import { Bars } from '../../parts/chart/bars.tsx'
import { Chart } from '../../parts/chart/chart.tsx'
import { FigureCard } from '../../parts/figure-card.tsx'
import { text } from '../../text/text.ts'
import { ARABIC, LONG, SHORT, TIMES } from './samples.ts'
import { Part, State } from './specimen.tsx'

const t = text.catalogue
const wave = (most: number) => TIMES.map((_, n) => Math.round(most * (1 + Math.sin(n / 3))))

export function Figures() {
  return (
    <>
      <Part name="figure-card">
        <State of="full">
          <FigureCard title={text.executions} value={number(48_213)} change={t.hint} tone="good" />
          <FigureCard
            title={text.executions}
            value={number(9)}
            change={t.hint}
            tone="bad"
            href="#/catalogue"
          />
        </State>
        <State of="empty">
          <FigureCard title={text.executions} value={number(0)} />
        </State>
        <State of="long">
          <FigureCard title={LONG} value={number(1e15)} change={LONG} />
        </State>
        <State of="rtl">
          <FigureCard title={ARABIC} value={number(48_213)} change={ARABIC} />
        </State>
      </Part>
      <BarsPart />
      <Charts />
    </>
  )
}

function BarsPart() {
  const bars = (names: readonly string[]) =>
    names.map(
      (title, index) =>
        ({ id: title, title, value: 400 / (index + 1), color: COLORS[index % 4] ?? 'soft' }) as const,
    )
  return (
    <Part name="bars">
      <State of="full">
        <Bars label={t.title} bars={bars([SHORT, text.note, text.device, text.key])} />
      </State>
      <State of="empty">
        <Bars label={text.note} bars={[{ id: SHORT, title: SHORT, value: 0 }]} />
      </State>
      <State of="long">
        <Bars label={text.device} bars={bars([LONG, SHORT])} />
      </State>
      <State of="rtl">
        <Bars label={text.key} bars={bars([ARABIC, SHORT])} />
      </State>
    </Part>
  )
}

const COLORS = ['accent', 'warn', 'bad', 'soft'] as const

function Charts() {
  const granted = { title: text.executions, color: 'accent', values: wave(200) } as const
  const before = { title: text.note, color: 'soft', values: wave(120), isBefore: true } as const
  const nothing = { ...granted, values: TIMES.map(() => 0) }
  return (
    <Part name="chart">
      <State of="full">
        <Chart label={t.title} times={TIMES} step="hour" series={[granted, before]} />
      </State>
      <State of="empty">
        <Chart label={text.note} times={TIMES} step="hour" series={[nothing]} />
      </State>
    </Part>
  )
}
