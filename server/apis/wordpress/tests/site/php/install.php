<?php
// Fills the database, and prints an application password of each user as JSON.
define('WP_INSTALLING', true);
$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_URI' => '/'];
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_wp_mail', '__return_false');
wp_install('Harbour', 'admin', 'admin@example.test', true, '', 'not-used');
update_option('permalink_structure', '/%postname%/');
$password = fn($id) => WP_Application_Passwords::create_new_application_password($id, ['name' => 'toolwrit'])[0];
$passwords = ['admin' => $password(1)];
foreach (['anna' => 'author', 'ben' => 'author', 'carl' => 'editor'] as $user => $role) {
    $id = wp_insert_user(['user_login' => $user, 'user_pass' => 'not-used', 'role' => $role, 'user_email' => "$user@example.test"]);
    $passwords[$user] = $password($id);
}
echo json_encode($passwords), "\n";
