-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "portal";

-- CreateEnum
CREATE TYPE "portal"."role" AS ENUM ('scientist', 'admin');

-- CreateTable
CREATE TABLE "portal"."user" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "role" "portal"."role" NOT NULL DEFAULT 'scientist',
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "portal"."oidc_account" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oidc_account_pkey" PRIMARY KEY ("issuer","subject")
);

-- CreateTable
CREATE TABLE "portal"."sign_in_failure" (
    "key" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failure_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "portal"."workflow" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "portal"."workflow_file" (
    "workflow_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "size" BIGINT NOT NULL,

    CONSTRAINT "workflow_file_pkey" PRIMARY KEY ("workflow_id","name")
);

-- CreateTable
CREATE TABLE "portal"."upload" (
    "owner_id" UUID NOT NULL,
    "sha256" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upload_pkey" PRIMARY KEY ("owner_id","sha256")
);

-- CreateTable
CREATE TABLE "portal"."cluster" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "driver" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "access" TEXT NOT NULL DEFAULT 'everyone',
    "isolation" TEXT NOT NULL,
    "isolation_note" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cluster_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "portal"."setting" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "portal"."audit_log" (
    "id" BIGSERIAL NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_email_key" ON "portal"."user"("email");

-- CreateIndex
CREATE INDEX "oidc_account_user_id_idx" ON "portal"."oidc_account"("user_id");

-- CreateIndex
CREATE INDEX "sign_in_failure_last_at_idx" ON "portal"."sign_in_failure"("last_at");

-- CreateIndex
CREATE INDEX "workflow_owner_id_updated_at_idx" ON "portal"."workflow"("owner_id", "updated_at" DESC);

-- CreateIndex
CREATE INDEX "audit_log_at_idx" ON "portal"."audit_log"("at");

-- AddForeignKey
ALTER TABLE "portal"."oidc_account" ADD CONSTRAINT "oidc_account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "portal"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "portal"."workflow" ADD CONSTRAINT "workflow_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "portal"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "portal"."workflow_file" ADD CONSTRAINT "workflow_file_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "portal"."workflow"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "portal"."upload" ADD CONSTRAINT "upload_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "portal"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The engine reads these words without Prisma, so the database holds them to the known ones.
ALTER TABLE "portal"."cluster" ADD CONSTRAINT "cluster_access_check" CHECK ("access" IN ('everyone', 'admins'));
ALTER TABLE "portal"."cluster" ADD CONSTRAINT "cluster_isolation_check" CHECK ("isolation" IN ('accounts', 'namespaces', 'none'));
ALTER TABLE "portal"."user" ADD CONSTRAINT "user_email_lower_check" CHECK ("email" = lower("email"));
