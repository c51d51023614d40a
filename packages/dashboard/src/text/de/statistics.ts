/** Statistics of executions. */
import { number } from '../../format.ts'
import type { statisticsText as english } from '../en/statistics.ts'
import type { Words } from '../words.ts'

export const statisticsText: Words<typeof english> = {
  intro: 'Wer was ausführt, wo, und wie es ausgeht. Tage sind in UTC.',
  period: 'Zeitraum',
  periods: { '7d': '7 Tage', '30d': '30 Tage', '90d': '90 Tage', '200d': '200 Tage' },
  filters: 'Filter der Statistik',
  script: 'Skript',
  byScript: 'Ausführungen nach Skript und Tag',
  byScriptHint: 'Erlaubte Ausführungen. Die Tage jedes Skripts werden 30 Tage aufgehoben.',
  others: 'Andere',
  byOutcome: 'Ausführungen nach Ausgang',
  byOutcomeHint: 'Erlaubt und abgewiesen, bis zu 400 Tage zurück.',
  byReason: 'Abgewiesen nach Grund',
  byExecutor: 'Ausführungen nach Executor',
  byExecutorHint: 'Erlaubte Ausführungen der letzten 30 Tage.',
  granted: 'Erlaubt',
  denied: 'Abgewiesen',
  total: 'Alle Skripte',
  runs: 'Ausführungen',
  share: 'Anteil',
  date: 'Tag',
  executor: 'Executor',
  count: 'Ausführungen',
  perDay: 'Im Mittel am Tag',
  best: 'Die meisten an einem Tag',
  table: 'Ausführungen jedes Skripts',
  download: 'CSV herunterladen',
  downloadOf: (title) => `CSV herunterladen: ${title}`,
  noneHint:
    'Ausführungen erscheinen hier einige Sekunden nach ihrem Beginn. Wählen Sie einen längeren Zeitraum, oder führen Sie ein Skript aus.',
  noneDenied: 'In diesem Zeitraum wurde niemand abgewiesen.',
  noExecutors: 'In den letzten 30 Tagen hat kein Executor ein Skript ausgeführt.',
  unnamed: 'ohne Namen',
  sharePercent: 'Anteil in Prozent',
  showAll: (count) => `Alle ${number(count)} zeigen`,
}
