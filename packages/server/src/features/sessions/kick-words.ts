/**
 * Kick messages in customers' languages. The English messages are part of the protocol. A language with a
 * missing message does not compile. All functions are pure.
 */
import { KICKS, type Kick, type KickReason, kick } from '@scriptward/client/live-messages'
import type { Grant } from '@scriptward/client/messages'
import { findLanguage, LANGUAGES, type Language } from '../../pages/language.ts'

export type Kicks = Readonly<Record<KickReason, Kick>>
type Messages = Readonly<Record<KickReason, string>>

/**
 * Returns the kick messages in the language of a language tag. Falls back to English if there is no tag or
 * the language is not supported.
 */
export function kicksIn(tag: string | null): Kicks {
  return TABLES[findLanguage(tag ?? undefined) ?? 'en']
}

/** Messages for kicks that clients trigger themselves. Clients already have the English messages. */
export function ownKickMessages(tag: string | undefined): Pick<Grant, 'kicks'> {
  const language = findLanguage(tag) ?? 'en'
  if (language === 'en') return {}
  const { session_lost, heartbeat_lost } = TRANSLATIONS[language]
  return { kicks: { session_lost, heartbeat_lost } }
}

const TRANSLATIONS: Readonly<Record<Exclude<Language, 'en'>, Messages>> = {
  id: {
    disconnected: 'Pembuat script menghentikan sesi ini.',
    key_expired: 'Key kamu sudah kedaluwarsa.',
    key_removed: 'Key kamu sudah tidak ada.',
    blacklisted: 'Key atau perangkat ini diblokir.',
    script_disabled: 'Script ini dinonaktifkan.',
    script_removed: 'Script ini sudah tidak ada.',
    outdated_version: 'Ada versi baru dari script ini. Jalankan lagi.',
    fingerprint_reset: 'Perangkat key ini direset. Jalankan script lagi.',
    service_unavailable: 'Script ini sedang tidak tersedia.',
    token_reuse: 'Sesi ini disalin ke tempat lain.',
    session_lost: 'Koneksi yang dibutuhkan script ini terputus.',
    instance_replaced: 'Sesi ini digantikan oleh sesi lain.',
    heartbeat_lost: 'Server terlalu lama tidak bisa dihubungi.',
    ended_by_user: 'Sesi ini diakhiri di halaman key kamu.',
    key_paused: 'Key kamu dijeda.',
    not_in_plan: 'Paket key kamu sudah tidak mencakup script ini.',
  },
  pt: {
    disconnected: 'O autor do script encerrou esta execução.',
    key_expired: 'Sua key expirou.',
    key_removed: 'Sua key não existe mais.',
    blacklisted: 'Esta key ou este dispositivo está bloqueado.',
    script_disabled: 'Este script foi desativado.',
    script_removed: 'Este script não existe mais.',
    outdated_version: 'Há uma nova versão deste script. Rode de novo.',
    fingerprint_reset: 'O dispositivo desta key foi resetado. Rode o script de novo.',
    service_unavailable: 'Este script está indisponível no momento.',
    token_reuse: 'Esta execução foi copiada para outro lugar.',
    session_lost: 'A conexão de que este script precisa caiu.',
    instance_replaced: 'Esta execução foi substituída por outra.',
    heartbeat_lost: 'O servidor ficou sem responder por tempo demais.',
    ended_by_user: 'Esta execução foi encerrada na página da sua key.',
    key_paused: 'Sua key foi pausada.',
    not_in_plan: 'O plano da sua key não inclui mais este script.',
  },
  es: {
    disconnected: 'El autor del script detuvo esta ejecución.',
    key_expired: 'Tu key expiró.',
    key_removed: 'Tu key ya no existe.',
    blacklisted: 'Esta key o este dispositivo está bloqueado.',
    script_disabled: 'Este script fue desactivado.',
    script_removed: 'Este script ya no existe.',
    outdated_version: 'Hay una versión nueva de este script. Ejecútalo otra vez.',
    fingerprint_reset: 'El dispositivo de esta key fue restablecido. Ejecuta el script otra vez.',
    service_unavailable: 'Este script no está disponible por ahora.',
    token_reuse: 'Esta ejecución fue copiada a otro lugar.',
    session_lost: 'Se perdió la conexión que este script necesita.',
    instance_replaced: 'Otra ejecución reemplazó a esta.',
    heartbeat_lost: 'El servidor no respondió durante demasiado tiempo.',
    ended_by_user: 'Esta ejecución se cerró en la página de tu key.',
    key_paused: 'Tu key fue puesta en pausa.',
    not_in_plan: 'El plan de tu key ya no incluye este script.',
  },
  ru: {
    disconnected: 'Автор скрипта остановил этот запуск.',
    key_expired: 'Твой ключ истёк.',
    key_removed: 'Твоего ключа больше нет.',
    blacklisted: 'Этот ключ или устройство заблокированы.',
    script_disabled: 'Скрипт отключили.',
    script_removed: 'Этого скрипта больше нет.',
    outdated_version: 'Вышла новая версия скрипта. Запусти его снова.',
    fingerprint_reset: 'Устройство этого ключа сбросили. Запусти скрипт снова.',
    service_unavailable: 'Скрипт сейчас недоступен.',
    token_reuse: 'Этот запуск скопировали в другое место.',
    session_lost: 'Пропало соединение, которое нужно скрипту.',
    instance_replaced: 'Этот запуск заменён другим.',
    heartbeat_lost: 'Сервер слишком долго был недоступен.',
    ended_by_user: 'Этот запуск завершён на странице твоего ключа.',
    key_paused: 'Твой ключ поставили на паузу.',
    not_in_plan: 'Этот скрипт больше не входит в тариф твоего ключа.',
  },
  tr: {
    disconnected: 'Scriptin yapımcısı bu oturumu durdurdu.',
    key_expired: 'Anahtarının süresi doldu.',
    key_removed: 'Anahtarın artık yok.',
    blacklisted: 'Bu anahtar ya da cihaz engellendi.',
    script_disabled: 'Bu script kapatıldı.',
    script_removed: 'Bu script artık yok.',
    outdated_version: 'Bu scriptin yeni bir sürümü var. Tekrar çalıştır.',
    fingerprint_reset: 'Bu anahtarın cihazı sıfırlandı. Scripti tekrar çalıştır.',
    service_unavailable: 'Bu script şu an kullanılamıyor.',
    token_reuse: 'Bu oturum başka bir yere kopyalandı.',
    session_lost: 'Bu scriptin ihtiyaç duyduğu bağlantı koptu.',
    instance_replaced: 'Bu oturumun yerini başka bir oturum aldı.',
    heartbeat_lost: 'Sunucuya çok uzun süre ulaşılamadı.',
    ended_by_user: 'Bu oturum anahtarının sayfasından kapatıldı.',
    key_paused: 'Anahtarın duraklatıldı.',
    not_in_plan: 'Anahtarının paketinde artık bu script yok.',
  },
  vi: {
    disconnected: 'Tác giả script đã dừng phiên này.',
    key_expired: 'Key của bạn đã hết hạn.',
    key_removed: 'Key của bạn không còn nữa.',
    blacklisted: 'Key hoặc thiết bị này đã bị chặn.',
    script_disabled: 'Script này đã bị tắt.',
    script_removed: 'Script này không còn nữa.',
    outdated_version: 'Script này có phiên bản mới. Hãy chạy lại.',
    fingerprint_reset: 'Thiết bị của key này đã được đặt lại. Hãy chạy lại script.',
    service_unavailable: 'Script này hiện chưa dùng được.',
    token_reuse: 'Phiên này đã bị sao chép sang nơi khác.',
    session_lost: 'Đã mất kết nối mà script này cần.',
    instance_replaced: 'Phiên này đã bị phiên khác thay thế.',
    heartbeat_lost: 'Không kết nối được máy chủ quá lâu.',
    ended_by_user: 'Phiên này đã được tắt ở trang key của bạn.',
    key_paused: 'Key của bạn đã bị tạm dừng.',
    not_in_plan: 'Gói của key không còn script này.',
  },
  fil: {
    disconnected: 'Itinigil ng gumawa ng script ang session na ito.',
    key_expired: 'Expired na ang key mo.',
    key_removed: 'Wala na ang key mo.',
    blacklisted: 'Naka-block ang key o device na ito.',
    script_disabled: 'Na-disable ang script na ito.',
    script_removed: 'Wala na ang script na ito.',
    outdated_version: 'May bagong version ang script na ito. Patakbuhin ulit.',
    fingerprint_reset: 'Na-reset ang device ng key na ito. Patakbuhin ulit ang script.',
    service_unavailable: 'Hindi available ang script na ito ngayon.',
    token_reuse: 'Nakopya sa ibang lugar ang session na ito.',
    session_lost: 'Naputol ang koneksiyong kailangan ng script na ito.',
    instance_replaced: 'Napalitan ng iba ang session na ito.',
    heartbeat_lost: 'Masyadong matagal na hindi naabot ang server.',
    ended_by_user: 'Tinapos ang session na ito sa page ng key mo.',
    key_paused: 'Na-pause ang key mo.',
    not_in_plan: 'Hindi na kasama ang script na ito sa plan ng key mo.',
  },
  de: {
    disconnected: 'Der Autor des Skripts hat diesen Lauf beendet.',
    key_expired: 'Dein Schlüssel ist abgelaufen.',
    key_removed: 'Deinen Schlüssel gibt es nicht mehr.',
    blacklisted: 'Dieser Schlüssel oder dieses Gerät ist gesperrt.',
    script_disabled: 'Dieses Skript wurde abgeschaltet.',
    script_removed: 'Dieses Skript gibt es nicht mehr.',
    outdated_version: 'Es gibt eine neue Version dieses Skripts. Starte es noch einmal.',
    fingerprint_reset: 'Das Gerät dieses Schlüssels wurde gelöst. Starte das Skript neu.',
    service_unavailable: 'Dieses Skript ist gerade nicht verfügbar.',
    token_reuse: 'Dieser Lauf wurde an einen anderen Ort kopiert.',
    session_lost: 'Die Verbindung, die dieses Skript braucht, ist abgebrochen.',
    instance_replaced: 'Dieser Lauf wurde durch einen anderen ersetzt.',
    heartbeat_lost: 'Der Server war zu lange nicht erreichbar.',
    ended_by_user: 'Dieser Lauf wurde auf der Seite deines Schlüssels beendet.',
    key_paused: 'Dein Schlüssel wurde pausiert.',
    not_in_plan: 'Der Plan deines Schlüssels enthält dieses Skript nicht mehr.',
  },
  fr: {
    disconnected: 'L’auteur du script a arrêté cette session.',
    key_expired: 'Ta clé a expiré.',
    key_removed: 'Ta clé n’existe plus.',
    blacklisted: 'Cette clé ou cet appareil est bloqué.',
    script_disabled: 'Ce script a été désactivé.',
    script_removed: 'Ce script n’existe plus.',
    outdated_version: 'Une nouvelle version de ce script est disponible. Relance-le.',
    fingerprint_reset: 'L’appareil de cette clé a été réinitialisé. Relance le script.',
    service_unavailable: 'Ce script est indisponible pour l’instant.',
    token_reuse: 'Cette session a été copiée ailleurs.',
    session_lost: 'La connexion dont ce script a besoin est perdue.',
    instance_replaced: 'Une autre session a remplacé celle-ci.',
    heartbeat_lost: 'Le serveur est resté injoignable trop longtemps.',
    ended_by_user: 'Cette session a été fermée sur la page de ta clé.',
    key_paused: 'Ta clé a été mise en pause.',
    not_in_plan: 'La formule de ta clé ne comprend plus ce script.',
  },
}

const REASONS = Object.keys(KICKS) as KickReason[]
/** The messages are created once and shared by all connections of a process. */
const TABLES = Object.fromEntries(
  LANGUAGES.map((language) => [language, tableOf(language)]),
) as unknown as Readonly<Record<Language, Kicks>>

function tableOf(language: Language): Kicks {
  const messages = language === 'en' ? undefined : TRANSLATIONS[language]
  const rows = REASONS.map((reason) => [
    reason,
    { ...kick(reason), ...(messages && { message: messages[reason] }) },
  ])
  return Object.fromEntries(rows) as Kicks
}
