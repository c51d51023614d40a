/** Removals and changes of many users, and undoing them. */
import { number } from '../../format.ts'
import type { changesText as english } from '../en/changes.ts'
import type { Words } from '../words.ts'

export const changesText: Words<typeof english> = {
  title: 'Änderungen',
  intro:
    'Was entfernt oder bei vielen Nutzern auf einmal geändert wurde. Jedes lässt sich einige Tage lang rückgängig machen.',
  ofAllProjects: 'Alle Projekte',
  noneTitle: 'Nichts rückgängig zu machen',
  noneHint: 'Was jemand entfernt oder bei vielen Nutzern auf einmal ändert, steht dann hier.',
  what: 'Was',
  count: 'Nutzer',
  who: 'Von',
  state: 'Rückgängig',
  undoneBy: 'Rückgängig gemacht von',
  undoneAt: 'Rückgängig gemacht am',
  script: 'Skript',
  goOn: 'Weiter rückgängig machen',
  actions: {
    import: 'Nutzer importiert',
    generate: 'Schlüssel erzeugt',
    purge: 'Unbenutzte entfernt',
    clear: 'Alle Nutzer entfernt',
    resetall: 'Alle Geräte zurückgesetzt',
    compensate: 'Allen Zeit gutgeschrieben',
    'delete-expired': 'Abgelaufene gelöscht',
    extend: 'Schlüssel verlängert',
    blacklist: 'Nutzer gesperrt',
    unblacklist: 'Nutzer entsperrt',
    pause: 'Schlüssel pausiert',
    resume: 'Schlüssel fortgesetzt',
    tag: 'Schlagwörter gegeben',
    untag: 'Schlagwörter genommen',
    plan: 'Plan gewechselt',
    reset: 'Geräte zurückgesetzt',
    remove: 'Nutzer entfernt',
    'remove-project': 'Projekt entfernt',
    'remove-script': 'Skript entfernt',
  },
  undoUntil: (when) => `möglich bis ${when}`,
  states: { undoing: 'nicht fertig', undone: 'rückgängig gemacht' },
  undoTitle: (what) => `Rückgängig machen: ${what}?`,
  undoWords: (count) =>
    `Es ging um ${count === 1 ? '1 Nutzer' : `${number(count)} Nutzer`}. Was entfernt wurde, kommt zurück; was geändert wurde, ist wie vorher. Was seitdem wieder geändert wurde, bleibt, wie es ist, und wird genannt. Sitzungen kommen nicht zurück.`,
  undone: 'Rückgängig gemacht.',
  undoneBut: (count) =>
    count === 1
      ? 'Rückgängig gemacht, bis auf 1, das seitdem geändert wurde. Siehe Änderungen.'
      : `Rückgängig gemacht, bis auf ${number(count)}, die seitdem geändert wurden. Siehe Änderungen.`,
  skipped: (count) => `Unverändert gelassen: ${number(count)}`,
  reasons: {
    'the key is taken': 'Der Schlüssel ist wieder vergeben.',
    'another user has the chat account': 'Ein anderer Nutzer hat das Chat-Konto.',
    'changed since': 'Seitdem geändert.',
    'removed since': 'Seitdem entfernt.',
    'used, changed or removed since': 'Seitdem benutzt, geändert oder entfernt.',
  },
}
