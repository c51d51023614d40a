import type { DenialWords } from './en.ts'

export const tr: DenialWords = {
  rate_limited: 'Çok fazla deneme yapıldı. {wait} sonra tekrar dene.',
  wrong_keys:
    'Ağından çok fazla yanlış anahtar denendi. script_key değerini kontrol et, {wait} sonra tekrar dene.',
  outdated_loader: 'Bu loader eski. Güncel olanı scripti aldığın yerden al.',
  script_not_found: 'Bu script artık yok. Yapımcısından yeni bir loader iste.',
  script_disabled: 'Bu script şu an kapalı. Daha sonra tekrar dene.',
  service_unavailable: 'Bu script şu an kullanılamıyor. Daha sonra tekrar dene.',
  invalid_key: 'Bu anahtar bu script için geçerli değil. script_key değerini kontrol et.',
  no_key:
    'Anahtar girilmedi. Loader’ın üstüne script_key = "anahtarın" yaz ya da SCRIPT_KEY değişkenini ayarla.',
  typo: 'Bu anahtarda yazım hatası var. script_key değerini kontrol et.',
  key_expired: 'Bu anahtarın süresi {ago} önce doldu. Uzat ya da yenisini al.',
  blacklisted: 'Bu anahtar ya da cihaz engellendi.',
  blacklist_reason: 'Sebep: {reason}.',
  blacklist_end: 'Engel {wait} sonra bitiyor.',
  executor_not_allowed: 'Bu script executor’ını ({executor}) desteklemiyor. Başka bir executor kullan.',
  fingerprint_mismatch: 'Bu anahtar başka bir cihaza bağlı.',
  reset_now: 'Anahtarının sayfasından cihazı sıfırla, sonra scripti tekrar çalıştır.',
  reset_later: 'Cihazı {wait} sonra anahtarının sayfasından sıfırlayabilirsin.',
  reset_by_author: 'Scriptin yapımcısından cihazı sıfırlamasını iste.',
  fingerprint_missing:
    'Executor’ında ({executor}) çalışan bir gethwid fonksiyonu yok, bu yüzden cihazın tanınamıyor. Başka bir executor kullan ya da yapımcıdan yardım iste.',
  fingerprint_unreadable:
    'Cihazın tanınamıyor: io.open ve io.popen cihaz kimliğini okuyamadı. Scripti ikisinin de çalıştığı bir yerde çalıştır ya da yapımcıdan yardım iste.',
  fingerprint_ambiguous:
    'Executor’ın birden fazla cihaz kimliği gönderiyor. İsteklerini değiştiren şeyleri kapat ya da başka bir executor kullan.',
  max_executions: 'Bu anahtarın çalıştırma hakkı bitti. Scriptin yapımcısından yeni hak iste.',
  max_instances:
    'Bu anahtar zaten izin verilen kadar çalışıyor ({max}). Birini kapat ya da anahtarının sayfasından sonlandır.',
  sessions_required:
    'Bu script için WebSocket gerekiyor ama executor’ında ({executor}) WebSocket.connect yok. Bunu destekleyen bir executor kullan.',
  chat_required: 'Önce Discord hesabını bu anahtara bağla.',
  join_required: 'Önce bu scriptin Discord sunucusuna katıl.',
  link_and_join: 'Önce Discord hesabını bu anahtara bağla ve bu scriptin Discord sunucusuna katıl.',
  join_unknown:
    'Discord’a şu an ulaşılamıyor, bu yüzden scriptin sunucusunda olup olmadığın kontrol edilemiyor. Bir dakika sonra tekrar dene.',
  key_paused: 'Bu anahtar duraklatıldı. Scriptin yapımcısından devam ettirmesini iste.',
  not_in_plan: 'Bu anahtarın paketinde bu script yok.',
  quota_spent: 'Bu anahtarın çalıştırma hakkı şimdilik bitti. Daha sonra tekrar dene.',
  key_not_started: 'Bu anahtar henüz aktif değil. Daha sonra tekrar dene.',
  network_locked:
    'Bu anahtar başka bir ağda alındı. Önce orada kullan ya da anahtarının sayfasından kilidini aç.',

  link_get_key: 'Anahtar al',
  link_own_page: 'Anahtarın',
  link_support: 'Yardım',
}
