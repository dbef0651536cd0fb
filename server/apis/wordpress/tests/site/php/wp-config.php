<?php
// The configuration of a WordPress for tests. The address comes from the environment.
foreach (['DB_NAME' => 'wp', 'DB_USER' => '', 'DB_PASSWORD' => '', 'DB_HOST' => '', 'DB_CHARSET' => 'utf8', 'DB_COLLATE' => ''] as $name => $value) {
    define($name, $value);
}
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', hash('sha256', $name));
    define($name . '_SALT', hash('sha256', $name . 'salt'));
}
// Application passwords without TLS.
define('WP_ENVIRONMENT_TYPE', 'local');
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HOME', getenv('WP_ADDRESS'));
define('WP_SITEURL', getenv('WP_ADDRESS'));
$table_prefix = 'wp_';
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
