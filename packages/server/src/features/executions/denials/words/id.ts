import type { DenialWords } from './en.ts'

export const id: DenialWords = {
  rate_limited: 'Terlalu banyak percobaan. Coba lagi dalam {wait}.',
  wrong_keys:
    'Terlalu banyak key salah yang dicoba dari jaringanmu. Cek script_key, lalu coba lagi dalam {wait}.',
  outdated_loader: 'Loader ini versi lama. Ambil yang terbaru dari tempat kamu dapat script ini.',
  script_not_found: 'Script ini sudah tidak ada. Minta loader baru ke pembuat script.',
  script_disabled: 'Script ini sedang dinonaktifkan. Coba lagi nanti.',
  service_unavailable: 'Script ini sedang tidak tersedia. Coba lagi nanti.',
  invalid_key: 'Key ini tidak valid untuk script ini. Cek script_key.',
  no_key: 'Key belum diisi. Tulis script_key = "key kamu" di atas loader, atau isi variabel SCRIPT_KEY.',
  typo: 'Ada salah ketik di key ini. Cek script_key.',
  key_expired: 'Key ini kedaluwarsa {ago} yang lalu. Perpanjang, atau ambil yang baru.',
  blacklisted: 'Key atau perangkat ini diblokir.',
  blacklist_reason: 'Alasan: {reason}.',
  blacklist_end: 'Blokir berakhir dalam {wait}.',
  executor_not_allowed: 'Script ini tidak mendukung executor kamu ({executor}). Pakai executor lain.',
  fingerprint_mismatch: 'Key ini terikat ke perangkat lain.',
  reset_now: 'Reset perangkat di halaman key kamu, lalu jalankan script lagi.',
  reset_later: 'Kamu bisa reset perangkat dalam {wait}, di halaman key kamu.',
  reset_by_author: 'Minta pembuat script untuk mereset perangkat.',
  fingerprint_missing:
    'Executor kamu ({executor}) tidak punya fungsi gethwid yang jalan, jadi perangkatmu tidak bisa dikenali. Pakai executor lain, atau minta bantuan pembuat script.',
  fingerprint_unreadable:
    'Perangkatmu tidak bisa dikenali: io.open dan io.popen tidak bisa membaca ID-nya. Jalankan script di tempat keduanya jalan, atau minta bantuan pembuat script.',
  fingerprint_ambiguous:
    'Executor kamu mengirim lebih dari satu ID perangkat. Matikan apa pun yang mengubah permintaannya, atau pakai executor lain.',
  max_executions: 'Jatah pemakaian key ini sudah habis. Minta tambahan ke pembuat script.',
  max_instances:
    'Key ini sudah mencapai batas pemakaian bersamaan ({max}). Tutup salah satu, atau akhiri di halaman key kamu.',
  sessions_required:
    'Script ini butuh WebSocket, tapi executor kamu ({executor}) tidak punya WebSocket.connect. Pakai executor yang punya.',
  chat_required: 'Hubungkan dulu akun Discord kamu ke key ini.',
  join_required: 'Gabung dulu ke server Discord script ini.',
  link_and_join: 'Hubungkan dulu akun Discord kamu ke key ini dan gabung ke server Discord script ini.',
  join_unknown:
    'Discord sedang tidak bisa dihubungi, jadi belum bisa dicek apakah kamu ada di server script ini. Coba lagi sebentar lagi.',
  key_paused: 'Key ini sedang dijeda. Minta pembuat script untuk melanjutkannya.',
  not_in_plan: 'Paket key ini tidak mencakup script ini.',
  quota_spent: 'Jatah pemakaian key ini habis untuk sekarang. Coba lagi nanti.',
  key_not_started: 'Key ini belum aktif. Coba lagi nanti.',
  network_locked:
    'Key ini didapat di jaringan lain. Pakai dulu di sana, atau buka kuncinya di halaman key kamu.',

  link_get_key: 'Ambil key',
  link_own_page: 'Key kamu',
  link_support: 'Bantuan',
}
