/** Backups of the service, for operators. */
import { number } from '../../format.ts'
import type { backupsText as english } from '../en/backups.ts'
import type { Words } from '../words.ts'

export const backupsText: Words<typeof english> = {
  tab: 'Sicherungen',
  last: 'Letzte Sicherung',
  never: 'Noch keine',
  onMachine: (machine) => `auf ${machine}`,
  next: 'Nächste Sicherung',
  due: 'Jetzt',
  notByItself: 'Nicht geplant',
  stored: 'Gespeichert',
  of: (keep) => `von ${number(keep)}`,
  size: 'Größe',
  encrypted: 'Verschlüsselt',
  yes: 'Ja',
  no: 'Nein',
  failed: 'Der letzte Versuch ist fehlgeschlagen:',
  files: 'Dateien',
  where: 'Sie liegen auf der Maschine des Dienstes in',
  none: 'Hier sind keine Sicherungen',
  noneHint:
    'Eine Sicherung enthält die ganze Datenbank und die Schlüssel, die sie öffnen. Ohne sie beendet eine defekte Festplatte den Dienst.',
  made: 'Erstellt',
  kind: 'Art',
  file: 'Datei',
  isEncrypted: 'Verschlüsselt',
  isOpen: 'Nicht verschlüsselt',
  before: (migration) => `Vor dem Update ${migration}`,
  makeOne: 'Jetzt sichern',
  running: 'Wird gesichert…',
  wasMade: (size) => `Sicherung erstellt, ${size}`,
  byTime: 'Regelmäßig sichern',
  byTimeHint:
    'Fügen Sie diese Zeilen zu den Einstellungen des Dienstes hinzu und starten Sie ihn neu. Ein Ordner auf einer anderen Festplatte oder Maschine übersteht, was dieser zustößt; ohne Ordner liegen sie im Datenordner.',
  encrypt: 'Sicherungen verschlüsseln',
  encryptHint:
    'Eine Sicherung enthält jeden Quelltext, jeden Schlüssel und jede E-Mail-Adresse. Erzeugen Sie auf einer eigenen Maschine ein Schlüsselpaar. Nur der private Schlüssel öffnet Sicherungen; bewahren Sie ihn dort auf, wo ihn ein Brand nicht erreicht.',
  encryptCommand: 'Schlüsselpaar erzeugen',
  encryptThen: 'Geben Sie dem Dienst dann den öffentlichen Schlüssel aus der ersten Zeile der Ausgabe:',
  restoreHint: 'Stellen Sie eine Sicherung in einem leeren Ordner wieder her, bevor Sie sie brauchen:',
  guide: 'So stellen Sie eine Sicherung wieder her',
}
