/** Words that many pages show. */
import { number } from '../../format.ts'
import type { everywhereText as english } from '../en/everywhere.ts'
import type { Words } from '../words.ts'

export const everywhereText: Words<typeof english> = {
  product: 'Scriptward',
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  projects: 'Projekte',
  name: 'Name',
  remove: 'Entfernen',
  typeName: (name) => `Geben Sie zur Bestätigung ${name} ein`,
  enabled: 'eingeschaltet',
  disabled: 'ausgeschaltet',
  enable: 'Einschalten',
  disable: 'Ausschalten',
  executions: 'Ausführungen',
  executionCount: (count) => (count === 1 ? '1 Ausführung' : `${number(count)} Ausführungen`),
  loaderFile: 'Loader-Datei',
  loaderFileHint:
    'Zum Aufheben für Nutzer: Sie vertraut allein den Schlüsseln dieses Dienstes, was auch immer dazwischen liegt.',

  key: 'Schlüssel',
  note: 'Notiz',
  expires: 'Läuft ab',
  never: 'nie',
  device: 'Gerät',
  reset: 'Gerät zurücksetzen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  more: 'Mehr zeigen',
  loading: 'Lädt …',
  retry: 'Erneut versuchen',
  unreachable: 'Der Dienst antwortet nicht. Prüfen Sie Ihre Verbindung, und versuchen Sie es erneut.',
  accountUsage: 'Ausführungen aller Projekte',
  accountUsageHint: 'Die letzten 30 Tage.',
  accountScripts: 'Meistgenutzte Skripte',
  accountScriptsHint: 'Erlaubte Ausführungen der letzten 30 Tage.',
  plans: 'Tarife',
  requestLimits: {
    title: 'Grenzen der Anfragen',
    hint: 'Was ein Aufruf enthalten darf, und wie viele es sein dürfen.',
    perSecond: 'Anfragen je Sekunde',
    atOnce: 'Anfragen gleichzeitig',
    script: 'Skript',
    body: 'Anfrage',
    importBody: 'Import',
    users: 'Nutzer eines Imports',
    keys: 'Schlüssel einer Erzeugung',
  },
}
