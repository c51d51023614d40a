print("Hello, " .. (ward and ward.note or "guest") .. "!")
