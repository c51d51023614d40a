/** Why executions were denied: what each reason means, and what to do about it. */
import { number } from '../../format.ts'
import type { denialsText as english } from '../en/denials.ts'
import type { Words } from '../words.ts'

export const denialsText: Words<typeof english> = {
  intro: 'Wer ein Skript ausführen wollte und abgewiesen wurde, warum, und was Sie tun können.',
  period: 'Zeitraum',
  periods: { '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage' },
  overTime: 'Abgewiesen im Verlauf',
  total: (count) => (count === 1 ? '1 abgewiesene Ausführung' : `${number(count)} abgewiesene Ausführungen`),
  commonTitle: 'Was sie gemeinsam haben',
  commonHint:
    'Wählen Sie eines, um unten nur diese zu sehen. Gründe zählen alle; Nutzer, Skripte und Executoren nur die, die in der Liste stehen.',
  showAll: (count) => `Alle ${number(count)} zeigen`,
  noneInPeriod: 'In diesem Zeitraum wurde niemand abgewiesen.',
  denied: 'Abgewiesen',
  list: 'Abweisungen, die neuesten zuerst',
  listHint:
    'Die neuesten 50 je Nutzer und die neuesten 200 ohne Schlüssel, 30 Tage lang. Dieselbe mehrmals nacheinander ist eine Zeile. Das Diagramm zählt alle.',
  filters: 'Filter der Abweisungen',
  reason: 'Grund',
  script: 'Skript',
  executor: 'Executor',
  user: 'Nutzer',
  userKey: 'Ganzer Schlüssel eines Nutzers',
  last: 'Zuletzt',
  noKey: 'ohne Schlüssel',
  times: (count) => `${number(count)}-mal`,
  leftOut: (count) => `${number(count)} weitere, die zu schnell kamen`,
  leftOutName: 'Nicht aufgeschrieben',
  nextTry: 'Darf es wieder versuchen',
  valueName: 'Was gesehen wurde',
  allOfUser: 'Alle Abweisungen dieses Nutzers',
  unknownScript: 'ein entferntes Skript',
  whatToDo: 'Was zu tun ist',
  openUser: 'Nutzer öffnen',
  openScript: 'Skript öffnen',
  openSettings: 'Einstellungen öffnen',
  openPlan: 'Tarif öffnen',
  version: 'Version',
  address: 'Adresse',
  device: 'Gerät',
  runtime: 'Läuft auf',
  first: 'Zum ersten Mal',
  code: 'Code',
  count: 'Wie oft',
  emptyTitle: 'Niemand wurde abgewiesen',
  emptyHint:
    'Wird eine Ausführung abgewiesen, erscheint sie hier mit ihrem Grund und dem, was Sie tun können: anderes Gerät, abgelaufener Schlüssel, falscher Schlüssel.',
  affectedTitle: 'Executoren, auf denen Schlüssel nutzlos sind',
  affectedHint:
    'Sie zeigen keine Funktion, die ein Gerät erkennt, also lässt sich kein Schlüssel binden. Raten Sie diesen Nutzern zu einem anderen Executor, oder erlauben Sie für ihre Schlüssel Geräte, die nicht erkannt werden.',
  reasons: {
    rate_limited: {
      title: 'Zu viele Versuche',
      happened:
        'Jemand hat es schneller versucht, als der Dienst erlaubt, oder aus einem Netz viele falsche Schlüssel probiert.',
      todo: 'Nichts, wenn es von selbst vergeht. Kommt ein Nutzer immer wieder vor, läuft bei ihm ein Skript in einer Schleife: Bitten Sie ihn, zwischen zwei Läufen eine Minute zu warten.',
    },
    outdated_loader: {
      title: 'Alter Loader',
      happened: 'Der Loader ist älter als diese Ausgabe des Dienstes, oder als das Skript braucht.',
      todo: 'Geben Sie dem Nutzer den Loader von der Seite des Skripts noch einmal. Wer ihn jedes Mal vom Dienst lädt, hat immer den neuesten.',
    },
    bad_request: {
      title: 'Unlesbare Anfrage',
      happened:
        'Der Dienst konnte nicht lesen, was der Loader gesendet hat. Das tun ein veränderter Loader oder ein eigener Client mit einem Fehler.',
      todo: 'Geben Sie dem Nutzer einen neuen Loader. Schreiben Sie selbst einen Client, sehen Sie sich den Wert an: Er nennt das Feld, das falsch ist.',
    },
    script_not_found: {
      title: 'Skript wurde entfernt',
      happened: 'Der Loader fragt nach einem Skript, das es nicht mehr gibt.',
      todo: 'Geben Sie dem Nutzer den Loader eines Skripts, das es gibt. Entfernte Skripte kommen nicht zurück.',
    },
    script_disabled: {
      title: 'Skript ist abgeschaltet',
      happened: 'Jemand hat ein Skript ausgeführt, das Sie abgeschaltet haben.',
      todo: 'Schalten Sie das Skript ein, wenn es wieder laufen soll.',
    },
    service_unavailable: {
      title: 'Konto wird nicht bedient',
      happened:
        'Der Tarif des Kontos ist abgelaufen, das Konto ist gesperrt, oder ein freies Skript läuft bei mehr Leuten, als der Tarif erlaubt.',
      todo: 'Sehen Sie nach Tarif und Grenzen, und verlängern oder erhöhen Sie ihn. Danach laufen die Skripte sofort wieder.',
    },
    invalid_key: {
      title: 'Kein oder falscher Schlüssel',
      happened: 'Es wurde kein Schlüssel angegeben, oder einer, der nicht zu diesem Projekt gehört.',
      todo: 'Bitten Sie den Nutzer, seinen Schlüssel ganz zu kopieren und script_key über dem Loader zu setzen. Viele davon von einer Adresse sind jemand, der rät: Der Dienst bremst ihn.',
    },
    key_expired: {
      title: 'Schlüssel abgelaufen',
      happened: 'Die Zeit dieses Schlüssels ist um.',
      todo: 'Öffnen Sie den Nutzer und verlängern Sie den Schlüssel, oder verkaufen Sie ihm einen neuen.',
    },
    blacklisted: {
      title: 'Gesperrt',
      happened: 'Dieser Schlüssel ist gesperrt, oder sein Gerät, Netz oder Chat-Konto ist gebannt.',
      todo: 'Nichts, wenn Sie das so wollen. Sonst öffnen Sie den Nutzer und heben die Sperre auf, oder heben Sie den Bann unter Banne auf.',
    },
    executor_not_allowed: {
      title: 'Executor nicht erlaubt',
      happened: 'Das Skript erlaubt diesen Executor nicht.',
      todo: 'Bitten Sie den Nutzer, einen anderen Executor zu nehmen, oder erlauben Sie diesen für das Skript.',
    },
    fingerprint_mismatch: {
      title: 'Anderes Gerät',
      happened:
        'Der Schlüssel ist an ein Gerät gebunden und wurde auf einem anderen benutzt: ein neuer Computer, ein anderer Executor oder ein weitergegebener Schlüssel.',
      todo: 'Kennen Sie den Nutzer, öffnen Sie ihn und setzen Sie das Gerät zurück. Geschieht es immer wieder, wird der Schlüssel geteilt.',
    },
    fingerprint_missing: {
      title: 'Gerät nicht erkannt',
      happened:
        'Der Executor zeigt nichts, woran das Gerät zu erkennen ist, also lässt sich der Schlüssel nicht binden.',
      todo: 'Bitten Sie den Nutzer, einen anderen Executor zu nehmen, oder erlauben Sie für diesen Schlüssel Geräte, die nicht erkannt werden.',
    },
    fingerprint_ambiguous: {
      title: 'Gerät nicht eindeutig',
      happened:
        'Der Executor hat das Gerät auf mehr als eine Weise zugleich benannt. Das tun Werkzeuge, die Anfragen verändern.',
      todo: 'Bitten Sie den Nutzer, abzuschalten, was die Anfragen seines Executors verändert, oder einen anderen zu nehmen.',
    },
    max_executions: {
      title: 'Keine Ausführungen übrig',
      happened: 'Der Schlüssel ist so oft gelaufen, wie er darf.',
      todo: 'Öffnen Sie den Nutzer und erlauben Sie mehr Ausführungen, oder verkaufen Sie ihm einen neuen Schlüssel.',
    },
    max_instances: {
      title: 'Läuft an zu vielen Stellen',
      happened: 'Der Schlüssel läuft schon an so vielen Stellen zugleich, wie er darf.',
      todo: 'Der Nutzer schließt eine davon, oder beendet ihre Sitzung auf der Seite seines Schlüssels. Öffnen Sie den Nutzer, um mehr zu erlauben.',
    },
    sessions_required: {
      title: 'Kein WebSocket',
      happened: 'Das Skript verlangt eine Live-Sitzung, und dieser Executor hat keinen WebSocket.',
      todo: 'Bitten Sie den Nutzer, einen Executor mit WebSocket.connect zu nehmen, oder verlangen Sie für das Skript keine Sitzungen.',
    },
    chat_required: {
      title: 'Kein Chat-Konto',
      happened: 'Das Projekt verlangt ein Chat-Konto, und dieser Schlüssel hat keines.',
      todo: 'Verknüpfen Sie das Chat-Konto des Nutzers mit dem Schlüssel, oder schalten Sie diese Regel in den Einstellungen ab.',
    },
    join_required: {
      title: 'Nicht auf Ihrem Chat-Server',
      happened: 'Das Projekt verlangt Mitglieder Ihres Chat-Servers, und dieser Nutzer ist keines.',
      todo: 'Bitten Sie den Nutzer beizutreten, bringen Sie die Liste der Mitglieder auf den neuesten Stand, oder schalten Sie diese Regel in den Einstellungen ab.',
    },
    tampered: {
      title: 'Manipuliert',
      happened: 'Funktionen der Umgebung waren verändert, wie es jemand tut, der in das Skript sehen will.',
      todo: 'Öffnen Sie den Nutzer und sehen Sie, was er sonst getan hat. Sperren Sie den Schlüssel, wenn es wieder geschieht.',
    },
    key_paused: {
      title: 'Pausiert',
      happened: 'Der Schlüssel wurde von Ihnen oder Ihrem Team pausiert.',
      todo: 'Öffnen Sie den Nutzer und setzen Sie den Schlüssel fort. Er bekommt die Zeit der Pause zurück.',
    },
    not_in_plan: {
      title: 'Nicht im Plan',
      happened: 'Der Plan des Schlüssels enthält dieses Skript nicht.',
      todo: 'Geben Sie dem Nutzer einen anderen Plan, oder nehmen Sie das Skript in den Plan auf.',
    },
    quota_spent: {
      title: 'Kontingent verbraucht',
      happened: 'Der Schlüssel lief so oft, wie sein Plan in diesem Zeitraum erlaubt.',
      todo: 'Es zählt von selbst neu. Geben Sie dem Nutzer einen anderen Plan, oder erhöhen Sie das Kontingent des Plans.',
    },
    key_not_started: {
      title: 'Noch nicht begonnen',
      happened: 'Der Schlüssel gilt erst ab einem späteren Zeitpunkt.',
      todo: 'Öffnen Sie den Nutzer und nehmen Sie den Beginn weg, oder warten Sie ihn ab.',
    },
    network_locked: {
      title: 'In anderem Netz verdient',
      happened: 'Der Schlüssel wurde mit Werbung in einem Netz verdient und zuerst in einem anderen benutzt.',
      todo: 'Der Nutzer öffnet die Seite des Schlüssels in dem Netz, in dem er ihn verdient hat, oder entsperrt ihn dort. Öffnen Sie den Nutzer, um ihn selbst zu entsperren.',
    },
  },
}
