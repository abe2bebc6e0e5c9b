-- Key pairs the portal made for somebody and that are not yet a credential: the person installs the public half first, perhaps days later.
CREATE TABLE "portal"."made_key" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "public_key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "made_key_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "made_key_user_id_created_at_idx" ON "portal"."made_key"("user_id", "created_at");
ALTER TABLE "portal"."made_key" ADD CONSTRAINT "made_key_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "portal"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
